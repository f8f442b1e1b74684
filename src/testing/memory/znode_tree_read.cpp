#include "testing/memory/access_control.hpp"
#include "testing/memory/znode_tree.hpp"

#include <optional>
#include <type_traits>
#include <utility>

namespace zklock::testing::memory {
namespace {

std::optional<code> refusal(const znode* node, std::int32_t permissions,
                            const session_info& session) {
  if (!node) return code::no_node;
  if (!is_permitted(node->state.acl, permissions, session.identities)) return code::no_auth;
  return {};
}

std::vector<std::string> names_of(const znode& node) {
  return {node.children.begin(), node.children.end()};
}

/// Carries out the reads of a node that exists and may be read.
struct answer {
  const znode& node;
  const session_info& session;

  reply_body operator()(const exists_request&) const { return stat_reply{node.stat()}; }

  reply_body operator()(const get_data_request&) const {
    return data_reply{node.data, node.stat()};
  }

  reply_body operator()(const get_acl_request&) const {
    const bool full = is_permitted(node.state.acl, can_administer, session.identities);
    return acl_reply{full ? node.state.acl : without_digests(node.state.acl), node.stat()};
  }

  reply_body operator()(const get_children_request& request) const {
    children_reply reply{names_of(node), {}};
    if (request.with_stat) reply.stat = node.stat();
    return reply;
  }
};

std::int32_t needed_permissions(const exists_request&) {
  return 0;
}

std::int32_t needed_permissions(const get_acl_request&) {
  return can_read | can_administer;
}

template <typename Request>
std::int32_t needed_permissions(const Request&) {
  return can_read;
}

template <typename Request>
outcome read_node(const znode_tree& tree, const Request& request, const session_info& session) {
  outcome result;
  if constexpr (std::is_same_v<Request, exists_request>) {
    // The only read that checks its path.
    if (request.path.find('\0') != std::string::npos) {
      result.error = code::bad_arguments;
      return result;
    }
  }
  const znode* node = tree.find(request.path);
  const std::int32_t permissions = needed_permissions(request);
  if (auto error = refusal(node, permissions, session); error && (permissions != 0 || !node))
    result.error = *error;
  else
    result.body = answer{*node, session}(request);
  return result;
}

part_result result_of(operation kind, outcome&& part) {
  part_result result;
  result.error = part.error;
  if (part.error != code::ok) return result;
  result.kind = kind;
  if (auto* data = std::get_if<data_reply>(&part.body))
    result.body = std::move(*data);
  else
    result.body = std::get<children_reply>(std::move(part.body));
  return result;
}

} // namespace

outcome znode_tree::read(const read_request& request, const session_info& session) const {
  return std::visit(
      [&](const auto& single) -> outcome {
        if constexpr (std::is_same_v<decltype(single), const multi_read_request&>) {
          multi_reply reply;
          for (const auto& part : single.parts)
            std::visit(
                [&](const auto& each) {
                  constexpr bool lists =
                      std::is_same_v<decltype(each), const get_children_request&>;
                  reply.parts.push_back(
                      result_of(lists ? operation::get_children : operation::get_data,
                                read_node(*this, each, session)));
                },
                part);
          outcome result;
          result.body = std::move(reply);
          return result;
        } else if constexpr (std::is_same_v<decltype(single), const get_ephemerals_request&>) {
          auto own = ephemerals(session.id);
          std::erase_if(own, [&](const auto& path) { return !path.starts_with(single.prefix); });
          outcome result;
          result.body = children_reply{std::move(own), {}};
          return result;
        } else {
          return read_node(*this, single, session);
        }
      },
      request);
}

} // namespace zklock::testing::memory
