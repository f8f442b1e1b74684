#include "cli/run/signal_channel.hpp"

#include "cli/failure.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace zklock::cli {

namespace asio = boost::asio;

std::pair<detail::unique_descriptor, detail::unique_descriptor> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw failure(exit_code::system, std::string("cannot make sockets: ") + std::strerror(errno));
  return {detail::unique_descriptor(ends[0]), detail::unique_descriptor(ends[1])};
}

signal_channel::signal_channel(const asio::any_io_executor& executor, detail::unique_descriptor end)
    : end_(executor, end.get()) {
  end.release();
}

void signal_channel::set_handler(std::function<void(passed_signal)> handler) {
  handler_ = std::move(handler);
  if (!handler_) return;
  for (const auto& each : std::exchange(waiting_, {}))
    deliver(each);
}

void signal_channel::deliver(passed_signal arrived) {
  if (handler_)
    handler_(arrived);
  else
    waiting_.push_back(arrived);
}

asio::awaitable<void> signal_channel::listen() {
  for (;;) {
    co_await end_.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    passed_signal arrived;
    const auto size = ::recv(end_.native_handle(), &arrived, sizeof arrived, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    const bool ended = size != sizeof arrived;
    deliver(ended ? passed_signal() : arrived);
    if (ended) co_return;
  }
}

void signal_channel::poke() {
  // A failure means that the process in front has ended, which listen() reports.
  [[maybe_unused]] const auto sent =
      ::send(end_.native_handle(), "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace zklock::cli
