#include "client/context_guard.hpp"

#include "zookeeper/process.hpp"

#include <mutex>
#include <utility>

namespace zklock::detail {

namespace {

namespace asio = boost::asio;

class guard_service final : public asio::execution_context::service {
 public:
  static asio::execution_context::id id;

  explicit guard_service(asio::execution_context& context) : service(context) {}

  const std::shared_ptr<context_guard> guard = std::make_shared<context_guard>();

 private:
  void shutdown() override { guard->destroy_executors(); }
  void notify_fork(asio::execution_context::fork_event event) override {
    if (event == asio::execution_context::fork_child) guard->forked();
  }
};

asio::execution_context::id guard_service::id;

} // namespace

std::shared_ptr<context_guard> context_guard::of(asio::execution_context& context) {
  return asio::use_service<guard_service>(context).guard;
}

context_guard::place context_guard::keep(kept_executor executor) {
  std::list<kept_executor> added;
  added.push_back(std::move(executor));
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  kept_.splice(kept_.begin(), added);
  return kept_.begin();
}

// The destructors of executors are the program's: not under the mutex. Without a way in, the
// executor is left to `destroy_executors`, or to the guard in the child of a fork.
void context_guard::drop(place which) noexcept {
  const auto here = enter();
  if (!here) return;
  std::list<kept_executor> dropped;
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  dropped.splice(dropped.begin(), kept_, which);
}

void context_guard::destroy_executors() noexcept {
  gate_.shut();
  std::list<kept_executor> dropped;
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  dropped.swap(kept_);
}

} // namespace zklock::detail
