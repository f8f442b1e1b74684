// Repeats an event of a lock of which a client uses, caches or waits for many entries, so that the
// instructions of the event can be counted: costs SCENARIO COUNT.
#include "queue/lock_queue.hpp"

#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

namespace queue = zklock::queue;

using acquisition_id = std::uint64_t;

const queue::lock_mode writing{};
const queue::lock_mode reading{.wants = queue::role::shared};
constexpr int repetitions = 20;

/// A queue whose servers answer at once.
class instant {
 public:
  explicit instant(const queue::settings& settings)
      : policy_(settings.policy), queue_(settings, budget_) {
    feed([&](auto& context) { queue_.connected(context, token_); });
  }

  acquisition_id acquire(queue::lock_mode asked) {
    const auto id = ++last_acquisition_;
    const auto demand = queue_.add(asked);
    demand_of_[id] = demand;
    waiting_[demand].push_back(id);
    feed([&](auto& context) { queue_.serve(context); });
    return id;
  }

  /// Releases a hold, or gives up.
  void release(acquisition_id id) {
    if (const auto held = held_.find(id); held != held_.end()) {
      const auto entry = held->second;
      held_.erase(held);
      return feed([&](auto& context) { queue_.release(context, entry, true); });
    }
    const auto demand = demand_of_.at(id);
    // Only the newest acquisition gives up.
    waiting_[demand].pop_back();
    feed([&](auto& context) { queue_.withdraw(context, demand); });
  }

  /// Readers of other clients get in line.
  void add_others(int count) {
    for (int i = 0; i < count; ++i)
      others_.push_back(name(queue::session_token{0xabcd}, 1'000'000 + static_cast<unsigned>(i),
                             queue::role::shared, next_number_++));
  }

 private:
  using kind = queue::action::kind;

  template <class Event>
  void feed(Event event) {
    std::vector<queue::action> actions;
    queue::event_context context{.proven = true, .last_entry = last_entry_, .actions = actions};
    event(context);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const queue::action each = std::move(actions[i]);
      answer(context, each);
    }
  }

  void answer(queue::event_context& context, const queue::action& each) {
    using queue::answer;
    switch (each.what) {
    case kind::create:
      own_[each.entry] = name(token_, each.entry, each.wants, next_number_);
      return queue_.events().created(context, each.entry, answer::ok, next_number_++, 9);
    case kind::remove:
      own_.erase(each.entry);
      return queue_.events().removed(context, each.entry, answer::ok);
    case kind::list:
    case kind::sync_and_list:
      return queue_.events().listed(context, answer::ok, names(), next_number_);
    case kind::list_and_watch:
      return queue_.events().children_listed(context, answer::ok, names(), next_number_);
    case kind::watch_data:
      return queue_.events().data_watched(context, each.entry, answer::ok, false);
    case kind::watch_directory:
      return queue_.events().directory_watched(context, answer::ok);
    case kind::confirm:
      return queue_.events().confirmed(context);
    case kind::grant: {
      const auto of = waiting_.find(each.demand);
      held_[of->second.front()] = each.entry;
      of->second.pop_front();
      if (of->second.empty()) waiting_.erase(of);
      return;
    }
    default:
      return;
    }
  }

  std::string name(queue::session_token token, queue::entry_id id, queue::role wants,
                   queue::sequence number) const {
    std::string made;
    queue::append_prefix(made, token, id, policy_.label(wants));
    queue::append_number(made, number);
    return made;
  }

  std::vector<std::string_view> names() {
    std::vector<std::string_view> all(others_.begin(), others_.end());
    for (const auto& [id, one] : own_)
      all.push_back(one);
    return all;
  }

  const queue::lock_policy policy_;
  queue::node_budget budget_{std::size_t{1} << 40};
  queue::lock_queue queue_;
  queue::session_token token_{0x1234567890ab0cde};
  queue::entry_id last_entry_ = 0;
  acquisition_id last_acquisition_ = 0;
  std::unordered_map<acquisition_id, queue::demand_id> demand_of_;
  std::map<queue::demand_id, std::deque<acquisition_id>> waiting_;
  std::unordered_map<acquisition_id, queue::entry_id> held_;
  queue::sequence next_number_ = 0;
  std::map<queue::entry_id, std::string> own_;
  std::vector<std::string> others_;
};

} // namespace

/// The instructions inside are counted.
extern "C" [[gnu::noinline]] void measured_event(const std::function<void()>& event) {
  event();
}

namespace {

void repeat(const std::function<void()>& event) {
  // Warm-up, for memory that is allocated once.
  for (int i = 0; i < repetitions; ++i)
    event();
  for (int i = 0; i < repetitions; ++i)
    measured_event(event);
}

void acquire_and_release(instant& it, queue::lock_mode asked) {
  repeat([&] { it.release(it.acquire(asked)); });
}

/// `count` acquisitions wait behind a holder: a further acquisition comes, and gives up.
void waiters(int count) {
  instant it({});
  for (int i = 0; i < count; ++i)
    it.acquire(writing);
  acquire_and_release(it, writing);
}

/// `count` acquisitions wait, and are granted in turn by an entry that is handed over.
void handed_over(int count) {
  instant it({.local_handoffs = 1'000'000, .cache = true});
  std::deque<acquisition_id> line;
  for (int i = 0; i < count; ++i)
    line.push_back(it.acquire(writing));
  repeat([&] {
    line.push_back(it.acquire(writing));
    it.release(line.front());
    line.pop_front();
  });
}

/// `count` readers hold: a further reader comes, and goes.
void readers(int count) {
  instant it({.policy = queue::lock_policy::shared});
  for (int i = 0; i < count; ++i)
    it.acquire(reading);
  acquire_and_release(it, reading);
}

/// `count` readers hold, and a writer waits: a further reader comes, and gives up.
void readers_before_a_writer(int count) {
  instant it({.policy = queue::lock_policy::shared});
  for (int i = 0; i < count; ++i)
    it.acquire(reading);
  it.acquire(writing);
  acquire_and_release(it, reading);
}

/// The entries of `count` readers are cached: a reader uses a cached entry.
void cached_readers(int count) {
  instant it({.cache = true, .policy = queue::lock_policy::shared});
  for (int round = 0; round < 2; ++round) {
    std::vector<acquisition_id> all;
    for (int i = 0; i < count; ++i)
      all.push_back(it.acquire(reading));
    for (const auto id : all)
      it.release(id);
  }
  acquire_and_release(it, reading);
}

/// `count` readers of other clients hold, and a writer waits: a further writer comes, and gives up.
void other_readers(int count) {
  instant it({.policy = queue::lock_policy::shared});
  it.add_others(count);
  it.acquire(writing);
  acquire_and_release(it, writing);
}

const std::map<std::string, void (*)(int)> scenarios{
    {"waiters", waiters},
    {"handed_over", handed_over},
    {"readers", readers},
    {"readers_before_a_writer", readers_before_a_writer},
    {"cached_readers", cached_readers},
    {"other_readers", other_readers},
};

} // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    for (const auto& [name, run] : scenarios)
      std::cout << name << '\n';
    return 0;
  }
  scenarios.at(arguments[1])(std::atoi(arguments[2]));
}
