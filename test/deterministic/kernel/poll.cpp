#include "deterministic/kernel/poll.hpp"

#include <vector>

namespace deterministic {

namespace {

// Of a thread, without blocking. After an event it makes a few.
constexpr std::size_t most_polls = 100;

class waiter final : public file_waiter {
 public:
  waiter(thread* which, file& what) : thread_(which), file_(&what) { what.add(*this); }
  ~waiter() {
    if (file_) file_->remove(*this);
  }
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  void on_changed(std::uint32_t) override {
    if (thread_) thread_->wake();
  }
  void on_released() override {
    file_ = nullptr;
    on_changed(0);
  }

 private:
  thread* const thread_;
  file* file_;
};

int count_ready(kernel& in, std::span<pollfd> all) {
  int count = 0;
  for (auto& each : all) {
    const file* const found = in.files().find(each.fd);
    const auto wanted = static_cast<unsigned>(each.events) | POLLERR | POLLHUP;
    each.revents = static_cast<short>(found ? found->ready() & wanted : POLLNVAL);
    count += each.revents != 0;
  }
  return count;
}

} // namespace

int poll(kernel& in, std::span<pollfd> all, int timeout) {
  int count = count_ready(in, all);
  thread* const self = in.threads().current();
  const bool blocks = count == 0 && timeout != 0;
  if (self && self->polled(blocks) == most_polls)
    in.add_fault("a thread calls poll() again and again, and never blocks");
  if (!blocks) return count;

  if (!self) in.add_fault("a call of poll() waits on a thread that must not");
  std::vector<std::unique_ptr<waiter>> waiters;
  for (const auto& each : all)
    if (file* const found = in.files().find(each.fd))
      waiters.push_back(std::make_unique<waiter>(self, *found));
  const auto end =
      timeout < 0 ? clock::never : in.time().now() + std::chrono::milliseconds{timeout};
  const auto timer = in.time().at(end, [self] {
    if (self) self->wake();
  });
  in.block_until([&] {
    count = count_ready(in, all);
    return count != 0 || in.time().now() >= end;
  });
  in.time().cancel(timer);
  return count;
}

} // namespace deterministic
