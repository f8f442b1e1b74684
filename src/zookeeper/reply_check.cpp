#include "zookeeper/reply_check.hpp"

#include "support/jute_reader.hpp"
#include "zookeeper/error_text.hpp"
#include "zookeeper/frame_buffer.hpp"
#include "zookeeper/session_options.hpp"

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;
using kind = server_fault::kind;

// The xids of frames that are no replies to requests.
constexpr std::int32_t event_xid = -1;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t auth_xid = -4;

// Errors that are not about the request. Replies with the first two overtake the replies to earlier
// requests.
constexpr std::int32_t unknown_request = -6;
constexpr std::int32_t authentication_required = -124;
constexpr std::int32_t authentication_failed = -115;
constexpr std::int32_t session_expired = -112;
constexpr std::int32_t session_moved = -118;
constexpr std::int32_t not_read_only = -119;

constexpr std::size_t header_size = 16;
constexpr std::size_t stat_size = 68;
constexpr std::int32_t password_size = 16;

// Old servers omit the byte that says whether they are read-only.
constexpr std::string_view shorter_handshake("\0\0\0\x24", 4);
constexpr std::string_view longer_handshake("\0\0\0\x25", 4);

// The type and the version of the record in which a server with TLS refuses plain bytes.
constexpr std::string_view alert_of_tls("\x15\x03", 2);

server_fault broken(std::string text) {
  return {kind::broken, std::move(text)};
}

server_fault not_zookeeper(std::string text) {
  return {kind::not_zookeeper, std::move(text)};
}

server_fault demand(std::int32_t error) {
  return {kind::authentication_required, "it demands other credentials: " + error_text(error)};
}

void skip(detail::jute_reader& body, reply_layout layout) {
  switch (layout) {
  case reply_layout::path:
    return body.skip_string();
  case reply_layout::path_and_stat:
    body.skip_string();
    break;
  case reply_layout::data_and_stat:
    body.read_buffer();
    break;
  case reply_layout::names_and_stat:
    body.skip_strings();
    break;
  case reply_layout::stat:
    break;
  case reply_layout::names:
    return body.skip_strings();
  case reply_layout::nothing:
  case reply_layout::results:
    return;
  }
  body.skip(stat_size);
}

bool has_results(const std::vector<reply_layout>& parts, detail::jute_reader reader) {
  // A header precedes each result and ends the list: type, end of the list, error.
  constexpr std::int32_t failed = -1;
  for (std::size_t i = 0;; ++i) {
    const auto type = reader.read_int();
    const bool end = reader.read_bool();
    reader.read_int();
    if (!reader.good() || end || i == parts.size())
      return reader.good() && end && i == parts.size();
    if (type == failed)
      reader.read_int();
    else
      skip(reader, parts[i]);
  }
}

bool has_layout(const exchange& request, std::string_view body) {
  detail::jute_reader reader(body);
  if (request.layout == reply_layout::results) return has_results(request.parts, reader);
  skip(reader, request.layout);
  return reader.good();
}

} // namespace

reply_check::reply_check(expectations expected, exchanges& sent)
    : expectations_(std::move(expected)),
      sent_(sent),
      newest_write_(expectations_.newest_write),
      credentials_(expectations_.credentials) {}

std::optional<server_fault> reply_check::check_begin(std::string_view bytes) const {
  bytes = bytes.substr(0, frame_length_size);
  if (!handshake_done_) {
    if (shorter_handshake.starts_with(bytes) || longer_handshake.starts_with(bytes)) return {};
    if (bytes.starts_with(alert_of_tls))
      return not_zookeeper("it speaks TLS at this port: set client_options::tls");
    return not_zookeeper("it does not speak ZooKeeper's protocol");
  }
  if (bytes.size() < frame_length_size) return {};
  const auto length = detail::jute_reader(bytes).read_int();
  if (length >= static_cast<std::int32_t>(header_size) && length <= longest_frame) return {};
  return broken("it announced a message of " + std::to_string(length) + " bytes instead of " +
                std::to_string(header_size) + " to " + std::to_string(longest_frame));
}

std::optional<server_fault> reply_check::check(std::string_view frame) {
  if (!handshake_done_) {
    handshake_done_ = true;
    return check_handshake(frame);
  }
  detail::jute_reader reader(frame.substr(0, header_size));
  const auto xid = reader.read_int();
  const auto zxid = reader.read_long();
  const auto error = reader.read_int();
  const auto body = frame.substr(header_size);
  // The reply to a ping can have this error, too.
  if (error == authentication_required && xid != event_xid) return demand(error);
  switch (xid) {
  case event_xid: {
    detail::jute_reader what(body);
    what.skip(8);
    what.skip_string();
    if (what.good()) return {};
    return broken("it sent a truncated event");
  }
  case ping_xid:
    return {};
  case auth_xid:
    if (credentials_ == 0) return broken("it replied to credentials that were not sent");
    --credentials_;
    return {};
  default:
    return check_reply(xid, zxid, error, body);
  }
}

std::optional<server_fault> reply_check::check_handshake(std::string_view frame) const {
  detail::jute_reader reader(frame);
  reader.read_int();
  const milliseconds timeout{reader.read_int()};
  const auto session = reader.read_long();
  if (reader.read_int() != password_size)
    return not_zookeeper("it does not speak ZooKeeper's protocol");
  reader.skip(password_size);
  if (reader.read_bool() && reader.good())
    return broken("it is read-only, which was not requested");
  if (session == 0 && expectations_.resumes)
    return server_fault{kind::expired, "it does not know the session any more"};
  if (session == 0) return not_zookeeper("it granted no session");
  // The arithmetic of the C client overflows for longer timeouts.
  if (timeout <= timeout.zero() || timeout > longest_timeout)
    return not_zookeeper("it granted a session timeout of " + std::to_string(timeout.count()) +
                         " ms");
  const auto why =
      expectations_.refuse_timeout ? expectations_.refuse_timeout(timeout) : std::string();
  if (!why.empty())
    return server_fault{kind::session_timeout_too_short,
                        "it granted too short a session timeout: " + why};
  return {};
}

std::optional<server_fault> reply_check::check_reply(std::int32_t xid, std::int64_t zxid,
                                                     std::int32_t error, std::string_view body) {
  // Checked before the order of the xids.
  if (error == unknown_request) return unknown(xid);
  const auto* const awaited = sent_.awaited();
  if (!awaited)
    return broken("it replied to request " + std::to_string(xid) + ", which was not sent");
  if (awaited->xid != xid)
    return broken("it replied to request " + std::to_string(xid) + " instead of " +
                  std::to_string(awaited->xid));
  if (error == authentication_failed) return demand(error);
  if (error == session_expired || error == session_moved || error == not_read_only)
    return server_fault{kind::turned_away,
                        "it refused a request" + request_with(xid) + ": " + error_text(error)};
  if (error == 0 && !has_layout(*awaited, body))
    return broken("its reply to request " + std::to_string(xid) + " is truncated");
  // A write that a single server refuses has no zxid of its own.
  if (error == 0 && awaited->writes) {
    if (zxid > newest_write_)
      newest_write_ = zxid;
    else
      rolled_back_to_ = zxid;
  }
  sent_.accept();
  return {};
}

server_fault reply_check::unknown(std::int32_t xid) const {
  const auto text =
      "it does not know a request" + request_with(xid) + ": it is older than ZooKeeper ";
  if (const auto* const asked = sent_.find(xid); asked && asked->layout == reply_layout::names)
    return {kind::does_not_list_own, text + "3.6.0"};
  return {kind::too_old, text + "3.5.0, or older than 3.5.3 without containers"};
}

std::string reply_check::request_with(std::int32_t xid) const {
  const auto* const found = sent_.find(xid);
  return found ? std::string(" to ") + found->label.name : std::string();
}

} // namespace zklock::zookeeper
