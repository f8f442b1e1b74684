#include "support/raw_client.hpp"

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/stat_codec.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace zklock::testing {
namespace {

constexpr std::int32_t event_xid = -1;

constexpr auto meanings = std::to_array<std::pair<int, const char*>>({
    {-8, "bad arguments"},
    {-101, "no such node"},
    {-102, "no permission"},
    {-103, "wrong version"},
    {-108, "ephemeral nodes have no children"},
    {-110, "the node exists"},
    {-111, "the node has children"},
    {-112, "the session has expired"},
    {-114, "invalid access control list"},
    {-115, "credentials refused"},
});

std::string refusal(const std::string& what, int code) {
  std::string text = what + ": the server replied with error " + std::to_string(code);
  for (auto [known, meaning] : meanings)
    if (known == code) text += std::string(", ") + meaning;
  return text;
}

constexpr int no_node = -101;
constexpr int node_exists = -110;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t auth_xid = -4;

std::string path_and_watch(const std::string& path, bool watch) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_bool(watch);
  return out.bytes();
}

} // namespace

raw_client::raw_client(const std::string& address, raw_client_options options)
    : limit_(options.limit) {
  deadline until = soon();
  wire_ = std::make_unique<wire_session>(address, until);
  wire_->send(connect_frame(options.session_id, options.session_timeout), until);
  session_ = wire_->receive_connect_response(until);
  if (session_.timeout.count() <= 0)
    throw session_gone("session " + std::to_string(options.session_id) + " does not exist");
}

raw_client::~raw_client() {
  if (!wire_) return;
  try {
    call(++last_xid_, static_cast<std::int32_t>(operation::close_session), {}, "close the session",
         deadline(std::chrono::seconds(1)));
  } catch (const std::exception&) {
    // The session expires.
  }
}

raw_client& raw_client::operator=(raw_client&& other) noexcept {
  raw_client closing(std::move(other));
  std::swap(limit_, closing.limit_);
  std::swap(wire_, closing.wire_);
  std::swap(session_, closing.session_);
  std::swap(last_xid_, closing.last_xid_);
  std::swap(events_, closing.events_);
  return *this;
}

std::string raw_client::create(const std::string& path, std::string_view data, create_mode mode,
                               const std::vector<access>& acl) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_string(data);
  out.put_int(static_cast<std::int32_t>(acl.size()));
  for (const auto& entry : acl) {
    out.put_int(entry.permissions);
    out.put_string(entry.scheme);
    out.put_string(entry.id);
  }
  out.put_int(static_cast<std::int32_t>(mode));
  auto kind = mode == create_mode::container ? operation::create_container : operation::create;
  std::string reply = call(kind, out.bytes(), "create " + path);
  return std::string(checked_reader(reply).take_string());
}

void raw_client::create_all(const std::string& path) {
  for (std::size_t slash = 0; slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    try {
      create(path.substr(0, slash));
    } catch (const server_error& e) {
      if (e.code() != node_exists) throw;
    }
  }
}

void raw_client::remove(const std::string& path, std::int32_t version) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_int(version);
  call(operation::remove, out.bytes(), "delete " + path);
}

void raw_client::remove_all(const std::string& path) {
  try {
    for (const auto& name : children(path))
      remove_all(std::string(path).append(1, '/').append(name));
    remove(path);
  } catch (const server_error& e) {
    if (e.code() != no_node) throw;
  }
}

std::optional<node_stat> raw_client::exists(const std::string& path, bool watch) {
  try {
    std::string reply = call(operation::exists, path_and_watch(path, watch), "look for " + path);
    checked_reader in(reply);
    return take_stat(in);
  } catch (const server_error& e) {
    if (e.code() != no_node) throw;
    return {};
  }
}

node raw_client::get(const std::string& path, bool watch) {
  std::string reply = call(operation::get_data, path_and_watch(path, watch), "get " + path);
  checked_reader in(reply);
  node result;
  result.data = in.take_string();
  result.stat = take_stat(in);
  return result;
}

node_stat raw_client::set(const std::string& path, std::string_view data, std::int32_t version) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_string(data);
  out.put_int(version);
  std::string reply = call(operation::set_data, out.bytes(), "set " + path);
  checked_reader in(reply);
  return take_stat(in);
}

std::vector<std::string> raw_client::children(const std::string& path, bool watch) {
  std::string reply = call(operation::get_children, path_and_watch(path, watch), "list " + path);
  checked_reader in(reply);
  std::vector<std::string> names;
  for (std::int32_t count = in.take_int(); count > 0; --count)
    names.emplace_back(in.take_string());
  std::sort(names.begin(), names.end());
  return names;
}

void raw_client::sync(const std::string& path) {
  detail::jute_writer out;
  out.put_string(path);
  call(operation::sync, out.bytes(), "sync");
}

void raw_client::ping() {
  call(ping_xid, static_cast<std::int32_t>(operation::ping), {}, "ping", soon());
}

void raw_client::add_auth(const std::string& scheme, std::string_view credentials) {
  detail::jute_writer out;
  out.put_int(0);
  out.put_string(scheme);
  out.put_string(credentials);
  call(auth_xid, static_cast<std::int32_t>(operation::auth), out.bytes(), "add credentials",
       soon());
}

std::optional<watch_event> raw_client::next_event(std::chrono::milliseconds limit) {
  if (events_.empty() && wire().wait_readable(deadline(limit))) {
    // A later deadline: the event may arrive in two parts.
    if (!keep_event(wire().receive(soon())))
      throw error("the server sent a reply without a request");
  }
  if (events_.empty()) return {};
  watch_event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::string raw_client::request(std::int32_t kind, std::string_view body) {
  return call(++last_xid_, kind, body, "request of kind " + std::to_string(kind), soon());
}

void raw_client::close() {
  call(operation::close_session, {}, "close the session");
  wire_.reset();
}

std::string raw_client::call(operation kind, std::string_view body, const std::string& what) {
  return call(++last_xid_, static_cast<std::int32_t>(kind), body, what, soon());
}

std::string raw_client::call(std::int32_t xid, std::int32_t kind, std::string_view body,
                             const std::string& what, deadline until) {
  wire().send(request_frame(xid, kind, body), until);
  std::string reply = receive_reply(until);
  checked_reader in(reply);
  if (in.take_int() != xid) throw error(what + ": the reply belongs to another request");
  in.take_long();
  if (std::int32_t code = in.take_int(); code != 0) throw server_error(refusal(what, code), code);
  return std::string(in.rest());
}

wire_session& raw_client::wire() {
  if (!wire_) throw error("the client is closed");
  return *wire_;
}

std::string raw_client::receive_reply(deadline until) {
  for (;;) {
    std::string received = wire().receive(until);
    if (!keep_event(received)) return received;
  }
}

bool raw_client::keep_event(std::string_view received) {
  checked_reader in(received);
  if (in.take_int() != event_xid) return false;
  in.take_long();
  in.take_int();
  watch_event event;
  event.type = in.take_int();
  in.take_int();
  event.path = in.take_string();
  events_.push_back(std::move(event));
  return true;
}

} // namespace zklock::testing
