#include "zookeeper/request_sender.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

// The longest wait of a write for further writes: about as long as a request between machines of a
// local network.
constexpr auto longest_wait = std::chrono::milliseconds(1);

// Each `list_own` costs a connection where the servers do not know it.
constexpr std::chrono::minutes shortest_without_list_own{1};
constexpr std::chrono::minutes longest_without_list_own{60};

// After so many lone writes the next is not held back.
constexpr int enough_lone_writes = 4;

// Whether all requests of a connection have their replies.
bool is_idle(handle& used) noexcept {
  return !used.sent().awaited();
}

} // namespace

request_sender::request_sender(const strand& executor, connector& through, session_owner& owner,
                               std::size_t access_bytes)
    : executor_(executor),
      connector_(through),
      owner_(owner),
      combiner_(*this, access_bytes),
      without_list_own_(shortest_without_list_own) {}

handle* request_sender::used_handle() const noexcept {
  return connector_.is_used() ? connector_.open_handle() : nullptr;
}

// Calls a function with the handle, if the session is connected. The function returns whether it
// has sent a request.
template <class Function>
void request_sender::with_handle(Function function) {
  handle* const used = used_handle();
  if (!used) return;
  if (function(*used)) owner_.on_request();
  connector_.link().requested();
}

void request_sender::send(const request& what, receiver& to, request_tag tag) {
  handle* const used = used_handle();
  if (!used) return;
  const bool is_lone = lone_writes_ == enough_lone_writes && is_idle(*used);
  if (!is_lone && combiner_.hold(what, to, tag)) {
    // Writes go together with this write, or requests have gone before it without a reply yet.
    if (!is_idle(*used)) lone_writes_ = 0;
    return flush_soon();
  }
  combiner_.flush_before(to);
  send_now(what, to, tag);
}

void request_sender::send_now(const request& what, receiver& to, request_tag tag) {
  with_handle([&](handle& used) { return used.requests().send(what, to, tag); });
}

void request_sender::send_early(const request& what, receiver& to) {
  if (connector_.open_handle()->requests().send(what, to, {})) owner_.on_request();
  connector_.link().requested();
}

void request_sender::remove_watch(const std::string& path, watch_kind kind) {
  combiner_.flush();
  with_handle([&](handle& used) { return used.requests().remove_watch(path, kind); });
}

void request_sender::sync(const std::string& path) {
  combiner_.flush();
  with_handle([&](handle& used) { return used.requests().sync(path); });
}

void request_sender::reject_server(std::string why) {
  // The connection notices the loss as after a request that could not be sent.
  with_handle([&](handle& used) {
    used.reject_server(std::move(why));
    return false;
  });
}

void request_sender::reject_data(std::string resurrected) {
  with_handle([&](handle& used) {
    used.reject_data(std::move(resurrected));
    return false;
  });
}

void request_sender::answered(request_label which) noexcept {
  cuts_.answered(which);
  if (which.name == list_own_label) without_list_own_ = shortest_without_list_own;
}

void request_sender::list_own_is_unknown() noexcept {
  lists_own_from_ = std::chrono::steady_clock::now() + without_list_own_;
  without_list_own_ = std::min(2 * without_list_own_, longest_without_list_own);
}

bool request_sender::ended_behind(request_label which) noexcept {
  cuts_.ended_behind(which);
  if (which.name == list_own_label && cuts_.count() >= cut_requests::suspicious)
    list_own_is_unknown();
  return cuts_.count() == cut_requests::suspicious;
}

bool request_sender::is_delivering() const noexcept {
  const handle* const used = used_handle();
  return used && !used->is_server_rejected();
}

void request_sender::flush_soon() {
  const auto held = combiner_.held();
  if (held == flushed_soon_) return;
  flushed_soon_ = held;
  // Only the function that runs now makes writes.
  if (executor_.run_after_last([weak = self_] {
        if (const auto self = weak.lock(); self && self->process_.is_current()) self->flush_held();
      }))
    return;
  // Two turns at least: the function that makes the first write may make handlers ready after it.
  flush_behind_ready_handlers(
      {.held = held, .size = 0, .latest = std::chrono::steady_clock::now() + longest_wait});
}

// Posted to the strand, the flush would follow the function that runs. An io_context runs functions
// in the order in which they are posted. With another executor, or with several threads, fewer
// writes go together; their order remains the order of the calls.
void request_sender::flush_behind_ready_handlers(turn now) {
  executor_.get_inner_executor().execute([weak = self_, now] {
    if (const auto self = weak.lock())
      asio::dispatch(self->executor_, [self, now] { self->flush_or_wait(now); });
  });
}

// A handler that was ready and has made writes has made other handlers ready, too: the next waiter
// is granted by the release of the holder before.
void request_sender::flush_or_wait(turn now) {
  if (!process_.is_current() || combiner_.held() != now.held) return;
  const auto size = combiner_.size();
  if (size == now.size || std::chrono::steady_clock::now() >= now.latest) return flush_held();
  now.size = size;
  flush_behind_ready_handlers(now);
}

void request_sender::flush_held() {
  handle* const used = used_handle();
  if (combiner_.size() != 1 || !used || !is_idle(*used))
    lone_writes_ = 0;
  else if (lone_writes_ != enough_lone_writes)
    ++lone_writes_;
  combiner_.flush();
}

} // namespace zklock::zookeeper
