#include "testing/reactor.hpp"

#include "testing/system_call.hpp"

#include <mutex>

namespace zklock::testing {

std::shared_ptr<reactor> reactor::get() {
  static std::mutex mutex;
  static std::weak_ptr<reactor> running;
  std::lock_guard lock(mutex);
  auto one = running.lock();
  if (!one) {
    one = std::make_shared<reactor>();
    running = one;
  }
  return one;
}

reactor::reactor() : guard_(context_.get_executor()) {
  signals_blocked block;
  thread_ = std::thread([this] { context_.run(); });
}

reactor::~reactor() {
  // All sockets and timers are closed: only the handlers of cancelled operations remain.
  guard_.reset();
  thread_.join();
}

} // namespace zklock::testing
