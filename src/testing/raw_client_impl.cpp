#include "testing/raw_client_impl.hpp"

#include "testing/checked_reader.hpp"

#include <array>
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

} // namespace

raw_client::impl::impl(const std::string& address, raw_client_options options)
    : limit_(options.limit) {
  deadline until = soon();
  wire_.emplace(address, until);
  wire_->send(connect_frame(options.session_id, options.session_timeout), until);
  session_ = wire_->receive_connect_response(until);
  if (session_.timeout.count() <= 0)
    throw session_gone("session " + std::to_string(options.session_id) + " does not exist");
}

std::string raw_client::impl::call(operation kind, std::string_view body, const std::string& what) {
  return call(next_xid(), static_cast<std::int32_t>(kind), body, what, soon());
}

std::string raw_client::impl::call(std::int32_t xid, std::int32_t kind, std::string_view body,
                                   const std::string& what, deadline until) {
  wire().send(request_frame(xid, kind, body), until);
  std::string reply = receive_reply(until);
  checked_reader in(reply);
  if (in.take_int() != xid) throw error(what + ": the reply belongs to another request");
  in.take_long();
  if (std::int32_t code = in.take_int(); code != 0) throw server_error(refusal(what, code), code);
  return std::string(in.rest());
}

wire_session& raw_client::impl::wire() {
  if (!wire_) throw error("the client is closed");
  return *wire_;
}

std::string raw_client::impl::receive_reply(deadline until) {
  for (;;) {
    std::string received = wire().receive(until);
    if (!keep_event(received)) return received;
  }
}

bool raw_client::impl::keep_event(std::string_view received) {
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

std::optional<watch_event> raw_client::impl::next_event(deadline until) {
  if (events_.empty() && wire().wait_readable(until)) {
    // A later deadline: the event may arrive in two parts.
    if (!keep_event(wire().receive(soon())))
      throw error("the server sent a reply without a request");
  }
  if (events_.empty()) return {};
  watch_event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

} // namespace zklock::testing
