#include "deterministic/kernel/epoll.hpp"

#include "deterministic/kernel/process.hpp"

#include <algorithm>
#include <utility>

namespace deterministic {

class epoll::registration final : public file_waiter {
 public:
  registration(epoll& owner, int of, file& target) : number(of), what(&target), owner_(owner) {
    target.add(*this);
  }
  ~registration() {
    if (what) what->remove(*this);
  }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;

  void set(const epoll_event& to) {
    wanted = to;
    wanted.events |= EPOLLERR | EPOLLHUP;
    if (what->ready() & wanted.events) owner_.note(*this);
  }

  void on_changed(std::uint32_t events) override {
    if (events == 0 || (events & wanted.events)) owner_.note(*this);
  }

  void on_released() override {
    what = nullptr;
    owner_.forget(*this);
  }

  bool is_registered() const override { return true; }

  const int number;
  file* what;
  epoll_event wanted{};
  bool is_noted = false;

 private:
  epoll& owner_;
};

epoll::epoll(process* owner) noexcept : file(owner) {}

epoll::~epoll() = default;

int epoll::add(int number, file& what, const epoll_event& wanted) {
  if (find(number, what)) return -EEXIST;
  registrations_.push_back(std::make_unique<registration>(*this, number, what));
  registrations_.back()->set(wanted);
  return 0;
}

int epoll::modify(int number, file& what, const epoll_event& wanted) {
  registration* const found = find(number, what);
  if (!found) return -ENOENT;
  found->set(wanted);
  return 0;
}

int epoll::remove(int number, file& what) {
  registration* const found = find(number, what);
  if (!found) return -ENOENT;
  forget(*found);
  return 0;
}

// An edge-triggered registration is reported once for each change, a level-triggered until it
// is not ready.
int epoll::wait(epoll_event* events, int most) {
  int count = 0;
  reported_.swap(ready_);
  auto each = reported_.begin();
  for (; each != reported_.end() && count != most; ++each) {
    registration& one = **each;
    one.is_noted = false;
    const auto found = one.what->ready() & one.wanted.events;
    if (!found) continue;
    events[count] = one.wanted;
    events[count++].events = found;
    if (one.wanted.events & EPOLLET) continue;
    one.is_noted = true;
    ready_.push_back(&one);
  }
  // The rest comes first at the next call.
  ready_.insert(ready_.begin(), each, reported_.end());
  reported_.clear();
  // Real time would show whether the program calls again and again without using the events.
  if (count != 0 && owner()) owner()->wake();
  return count;
}

epoll::registration* epoll::find(int number, const file& what) noexcept {
  for (const auto& each : registrations_)
    if (each->number == number && each->what == &what) return each.get();
  return nullptr;
}

void epoll::note(registration& which) {
  if (std::exchange(which.is_noted, true)) return;
  ready_.push_back(&which);
  if (owner()) owner()->wake();
  changed(EPOLLIN);
}

void epoll::forget(registration& which) noexcept {
  std::erase(ready_, &which);
  std::erase_if(registrations_, [&](const auto& each) { return each.get() == &which; });
}

void epoll::released() {
  ready_.clear();
  registrations_.clear();
}

} // namespace deterministic
