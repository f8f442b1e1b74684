#include "inspect/line_of_participants.hpp"

#include "client/node_path.hpp"
#include "queue/lock_policy.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <unordered_map>

namespace zklock::detail {

namespace {

participant named(const std::string& directory, std::string_view name) {
  participant made;
  made.node.reserve(directory.size() + 1 + name.size());
  made.node.append(directory).append(1, '/').append(name);
  return made;
}

bool is_child(const std::string& directory, std::string_view node) noexcept {
  return node.size() > directory.size() + 1 && node.starts_with(directory) &&
         node[directory.size()] == '/' && node.find('/', directory.size() + 1) == node.npos;
}

} // namespace

std::vector<participant> in_line(const lock_definition& lock,
                                 std::span<const std::string_view> names,
                                 std::int64_t children_ever) {
  std::vector<participant> line;
  for (const auto name : names) {
    const auto parsed = queue::parse_entry_name(name);
    if (!parsed || parsed->number >= children_ever) continue;
    auto& added = line.emplace_back(named(lock.line, name));
    added.number = parsed->number;
    added.role = role_of(lock, parsed->wants);
  }
  // A Curator writer that also reads has two nodes with a common number.
  const auto order = [](const participant& p) { return std::tie(p.number, p.role, p.node); };
  std::sort(line.begin(), line.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  settle_holders(lock, line);
  return line;
}

// Every child of the permits' directory takes a permit, except a waiter's.
std::vector<participant> with_permits(const lock_definition& lock,
                                      std::span<const std::string_view> names,
                                      std::int64_t children_ever) {
  std::vector<participant> all;
  for (const auto name : names) {
    auto& added = all.emplace_back(named(lock.permits, name));
    const auto number = queue::trailing_number(name);
    added.number = number < children_ever ? number : -1;
    added.role = participant_role::permit;
    added.is_holder = true;
  }
  return all;
}

void settle_holders(const lock_definition& lock, std::span<participant> line) noexcept {
  if (lock.has_permits()) return;
  const queue::lock_policy policy = policy_of(lock.kind);
  queue::predecessors before;
  for (auto& each : line) {
    const auto wants =
        each.role == participant_role::shared ? queue::role::shared : queue::role::exclusive;
    // The session that writes may read as well.
    const bool own = wants == queue::role::shared && line.front().is_holder &&
                     line.front().number == each.number;
    each.is_holder = own || policy.may_hold(before, wants);
    before.add(wants);
  }
}

void name_holders(std::span<participant> permits) {
  // The part of the name before the number.
  const auto holder_of = [](const participant& one) {
    const std::string_view node(one.node);
    return node.substr(0, node.rfind('-') + 1);
  };
  std::unordered_map<std::string_view, const participant*> first;
  for (const auto& each : permits)
    if (each.number == 0 && queue::is_of_zklock(name_of(each.node)))
      first.emplace(holder_of(each), &each);
  for (auto& each : permits)
    if (const auto it = first.find(holder_of(each)); it != first.end() && each.identity.empty())
      each.identity = it->second->identity;
}

std::optional<std::size_t> newest_of_others(std::span<const participant> permits) noexcept {
  std::optional<std::size_t> newest;
  for (std::size_t i = 0; i < permits.size(); ++i)
    if (!queue::is_of_zklock(name_of(permits[i].node)) &&
        (!newest || permits[*newest].number < permits[i].number))
      newest = i;
  return newest;
}

bool exceeds(std::size_t permits, std::optional<std::uint32_t> limit) noexcept {
  return !limit || permits > *limit;
}

bool made_while_waiting(const participant& first, const participant& permit) noexcept {
  return first.session_id == permit.session_id && first.token < permit.token;
}

std::vector<participant> in_order(const lock_definition& lock, std::vector<participant> permits,
                                  std::vector<participant> line,
                                  std::optional<std::uint32_t> limit) {
  if (const auto newest = newest_of_others(permits); newest && !line.empty()) {
    // A participant that left between the two lists made room for a waiter.
    const auto left = std::count_if(permits.begin(), permits.end(),
                                    [](const participant& each) { return !each.node.empty(); });
    if (exceeds(static_cast<std::size_t>(left), limit) &&
        made_while_waiting(line.front(), permits[*newest]))
      permits[*newest].node.clear();
  }
  for (auto* list : {&permits, &line})
    std::erase_if(*list, [](const participant& each) { return each.node.empty(); });
  settle_holders(lock, line);
  name_holders(permits);
  std::sort(permits.begin(), permits.end(), is_older);
  permits.insert(permits.end(), std::make_move_iterator(line.begin()),
                 std::make_move_iterator(line.end()));
  return permits;
}

bool is_older(const participant& a, const participant& b) noexcept {
  return std::tie(a.token, a.node) < std::tie(b.token, b.node);
}

bool is_of(const lock_definition& lock, const participant& candidate) {
  if (!is_node_path(candidate.node)) return false;
  if (lock.has_permits() && is_child(lock.permits, candidate.node)) return true;
  return is_child(lock.line, candidate.node) &&
         queue::parse_entry_name(name_of(candidate.node)).has_value();
}

} // namespace zklock::detail
