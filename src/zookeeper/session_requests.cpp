// Requests on their way to the C client.
#include "zookeeper/session_core.hpp"

#include <boost/asio/dispatch.hpp>

#include <chrono>
#include <new>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

// Writes wait for so long at most for others that handlers which are ready make: about as long as a
// request between machines of one network.
constexpr auto longest_wait = std::chrono::milliseconds(1);

} // namespace

// Calls a function with the handle, if the session is connected. The function returns whether it
// has sent a request.
template <class Function>
void session::core::with_handle(Function function) {
  handle* const connected = connected_handle();
  if (!connected) return;
  if (function(*connected)) owner_->on_request();
  connection_.requested();
}

void session::core::send(const request& what, receiver& to, request_tag tag) {
  if (!connected_handle()) return;
  if (combiner_.hold(what, to, tag)) return flush_soon();
  combiner_.flush_before(to);
  send_now(what, to, tag);
}

void session::core::send_now(const request& what, receiver& to, request_tag tag) {
  with_handle([&](handle& connected) { return connected.send(what, to, tag); });
}

void session::core::remove_watch(const std::string& path, watch_kind kind) {
  combiner_.flush();
  with_handle([&](handle& connected) { return connected.remove_watch(path, kind); });
}

void session::core::sync(const std::string& path) {
  combiner_.flush();
  with_handle([&](handle& connected) { return connected.sync(path); });
}

void session::core::reject_server(std::string why) {
  // The connection notices the loss as after a request that could not be sent.
  with_handle([&](handle& connected) {
    connected.reject_server(std::move(why));
    return false;
  });
}

void session::core::reject_data(std::string shown_by) {
  with_handle([&](handle& connected) {
    connected.reject_data(std::move(shown_by));
    return false;
  });
}

bool session::core::is_delivering() const noexcept {
  const handle* const connected = connected_handle();
  return connected && !connected->is_server_rejected();
}

// Posted to the strand, the flush would follow the function that runs. Where there is no memory to
// post, nothing is held back; without memory to enter the strand, the connection is lost.
void session::core::flush_soon() noexcept {
  const auto held = combiner_.held();
  if (held == flushed_soon_) return;
  flushed_soon_ = held;
  // Two turns at least: the function that makes the first write may make handlers ready after it.
  flush_behind_ready_handlers(
      {.held = held, .size = 0, .latest = std::chrono::steady_clock::now() + longest_wait});
}

// An io_context runs functions in the order in which they are posted. With an executor that does
// not, or with several threads, fewer writes go together; their order is that of the calls all the
// same.
void session::core::flush_behind_ready_handlers(turn now) noexcept {
  try {
    executor_.get_inner_executor().execute([weak = weak_from_this(), now] {
      const auto self = weak.lock();
      if (!self) return;
      try {
        asio::dispatch(self->executor_, [self, now] { self->flush_or_wait(now); });
      } catch (const std::bad_alloc&) {
        self->connection_.handler_failed();
      }
    });
  } catch (const std::bad_alloc&) {
    combiner_.flush();
  }
}

// Where a handler that was ready has made writes, it has made other handlers ready, too: the next
// waiter is granted by the release of the one before.
void session::core::flush_or_wait(turn now) noexcept {
  if (!process_.is_current() || combiner_.held() != now.held) return;
  const auto size = combiner_.size();
  if (size == now.size || std::chrono::steady_clock::now() >= now.latest) return combiner_.flush();
  now.size = size;
  flush_behind_ready_handlers(now);
}

} // namespace zklock::zookeeper
