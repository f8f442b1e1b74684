#include "support/jute_writer.hpp"
#include "testing/memory/codec.hpp"
#include "testing/session_password.hpp"
#include "testing/stat_codec.hpp"

#include <type_traits>

namespace zklock::testing::memory {
namespace {

constexpr std::int32_t connected_state = 3;
constexpr std::int32_t error_type = -1;

void put(detail::jute_writer& out, const std::vector<std::string>& names) {
  out.put_int(static_cast<std::int32_t>(names.size()));
  for (const auto& name : names)
    out.put_string(name);
}

/// Writes the bodies of replies, and of the parts of a reply to a transaction.
struct body_writer {
  detail::jute_writer& out;

  void operator()(std::monostate) const {}

  void operator()(const created_reply& reply) const {
    out.put_string(reply.path);
    if (reply.kind != operation::create) put_stat(out, reply.stat);
  }

  void operator()(const stat_reply& reply) const { put_stat(out, reply.stat); }

  void operator()(const data_reply& reply) const {
    out.put_buffer(reply.data);
    put_stat(out, reply.stat);
  }

  void operator()(const children_reply& reply) const {
    put(out, reply.names);
    if (reply.stat) put_stat(out, *reply.stat);
  }

  void operator()(const acl_reply& reply) const {
    out.put_int(static_cast<std::int32_t>(reply.acl.size()));
    for (const auto& entry : reply.acl) {
      out.put_int(entry.permissions);
      out.put_string(entry.scheme);
      out.put_string(entry.id);
    }
    put_stat(out, reply.stat);
  }

  void operator()(const path_reply& reply) const { out.put_string(reply.path); }

  void operator()(const whoami_reply& reply) const {
    out.put_int(static_cast<std::int32_t>(reply.identities.size()));
    for (const auto& each : reply.identities) {
      out.put_string(each.scheme);
      // The name of a user, without the digest of the password.
      out.put_string(each.id.substr(0, each.id.find(':')));
    }
  }

  void operator()(const multi_reply& reply) const {
    for (const auto& part : reply.parts) {
      const bool failed = part.kind == operation::unknown;
      const auto error = static_cast<std::int32_t>(part.error);
      put_header(failed ? error_type : static_cast<std::int32_t>(part.kind), false, error);
      if (failed) out.put_int(error);
      std::visit(*this, part.body);
    }
    put_header(-1, true, -1);
  }

  void put_header(std::int32_t type, bool done, std::int32_t error) const {
    out.put_int(type);
    out.put_bool(done);
    out.put_int(error);
  }
};

void put_header(detail::jute_writer& out, std::int32_t xid, std::int64_t zxid, code error) {
  out.put_int(xid);
  out.put_long(zxid);
  out.put_int(static_cast<std::int32_t>(error));
}

} // namespace

std::string encode(const connect_response& response, const connect_request& request) {
  session_password password{};
  if (response.session_id != 0) password = password_of(response.session_id);
  detail::jute_writer out;
  out.put_int(0);
  out.put_int(response.timeout);
  out.put_long(response.session_id);
  out.put_string({reinterpret_cast<const char*>(password.data()), password.size()});
  if (request.has_read_only) out.put_bool(response.read_only);
  return out.framed();
}

std::string encode(std::int32_t xid, std::int64_t zxid, code error, const reply_body& body) {
  detail::jute_writer out;
  put_header(out, xid, zxid, error);
  if (error == code::ok) std::visit(body_writer{out}, body);
  return out.framed();
}

std::string encode(const tree_event& event) {
  detail::jute_writer out;
  put_header(out, notification_xid, -1, code::ok);
  out.put_int(static_cast<std::int32_t>(event.type));
  out.put_int(connected_state);
  out.put_string(event.path);
  return out.framed();
}

} // namespace zklock::testing::memory
