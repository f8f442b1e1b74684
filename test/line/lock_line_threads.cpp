// A line that several threads use, beside the strand: a model of the queue, which grants one entry.

#include "client/lock_counters.hpp"
#include "client/lock_line.hpp"
#include "member.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(lock_line_threads, *boost::unit_test::timeout(120))

namespace {

using member_ptr = std::shared_ptr<member>;

constexpr std::uint32_t most_turns = 1 << 20;

class strand {
 public:
  strand() : thread_([this] { run(); }) { line.count_in(&counters_); }

  ~strand() {
    post({});
    thread_.join();
  }

  enum class task { stop, look, release, give_up };
  struct message {
    task what = task::stop;
    member_ptr of{};
  };

  void post(message sent) {
    const std::lock_guard locked(mutex_);
    inbox_.push_back(std::move(sent));
    arrived_.notify_one();
  }

  // A turn is granted once.
  bool note_turn(std::uint32_t turn) { return turn < most_turns && !turns_[turn].exchange(true); }

  detail::lock_line line;

 private:
  void run() {
    for (;;) {
      const auto next = take();
      if (next.what == task::stop) return;
      handle(next);
      serve();
      switch (dice_() % 4) {
      case 0:
        open();
        break;
      case 1:
        close();
        serve();
        break;
      default:
        break;
      }
      const auto take_due = [&] { return line.take_due(member::time_point::clock::now()); };
      for (auto due = take_due(); due.of; due = take_due())
        static_cast<member&>(*due.of).refused({});
    }
  }

  message take() {
    std::unique_lock locked(mutex_);
    arrived_.wait(locked, [this] { return !inbox_.empty(); });
    auto next = std::move(inbox_.front());
    inbox_.pop_front();
    return next;
  }

  void handle(const message& sent) {
    switch (sent.what) {
    case task::look:
      for (const auto& seen : line.look())
        if (seen->trying) answer(static_cast<member&>(*seen));
      return;
    case task::release:
      if (line.is_holder(*sent.of)) close();
      if (line.take_out(*sent.of)) sent.of->forgotten({});
      if (holder_ == sent.of.get()) holder_ = nullptr;
      return;
    case task::give_up:
      return give_up(*sent.of);
    case task::stop:
      return;
    }
  }

  void give_up(member& c) {
    const auto gone = line.take_out(c, true);
    if (gone) c.refused({});
  }

  void answer(member& tries) {
    close();
    if (holder_ || line.is_any_waiting()) {
      const auto gone = line.take_out(tries);
      if (gone) tries.refused({});
    } else {
      grant(tries);
    }
  }

  void grant(member& c) {
    line.granted(c, 1);
    holder_ = &c;
    c.granted({.entry = 1, .turn = turn_++});
  }

  // What waits is granted the entry, where the line does not do so.
  void serve() {
    if (is_open_ && line.needs_queue()) close();
    if (is_open_) return;
    line.give_tickets([](detail::line_member&) { return ticket; });
    if (holder_) return;
    if (auto* const first = line.first_with(ticket)) grant(static_cast<member&>(*first));
  }

  void open() {
    if (std::exchange(is_open_, true)) return;
    line.open(offer_of(turn_, most_turns), std::exchange(holder_, nullptr));
    line.next_look(member::time_point::max());
  }

  void close() {
    if (!std::exchange(is_open_, false)) return;
    const auto was = line.close();
    turn_ = was.next_turn;
    holder_ = static_cast<member*>(was.holder);
  }

  detail::lock_counters counters_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<message> inbox_;
  std::vector<std::atomic<bool>> turns_ = std::vector<std::atomic<bool>>(most_turns);
  std::minstd_rand dice_{17};
  bool is_open_ = false;
  member* holder_ = nullptr;
  std::uint32_t turn_ = 0;
  static constexpr queue::demand_id ticket = 1;
  std::thread thread_;
};

// One thread that acquires and releases, gives up, and lets deadlines pass.
class caller {
 public:
  caller(strand& at, std::atomic<int>& holders, unsigned seed)
      : strand_(at), holders_(holders), dice_(seed) {}

  void use(int times) {
    for (int i = 0; i < times; ++i)
      use();
  }

  int held() const noexcept { return held_; }
  int given_up() const noexcept { return given_up_; }
  int faults() const noexcept { return faults_; }

 private:
  bool chance(unsigned percent) { return dice_() % 100 < percent; }

  void use() {
    const auto c = std::make_shared<member>(wish{.is_plain = !chance(10)});
    c->trying = chance(5);
    if (chance(20)) c->deadline = member::time_point::clock::now();
    if (strand_.line.grant_fast(*c)) {
      c->complete_fast();
    } else {
      if (strand_.line.wait(c)) strand_.post({strand::task::look, c});
      if (chance(30)) strand_.post({strand::task::give_up, c});
    }
    if (c->wait_while(member::state::waiting) != member::state::held) {
      ++given_up_;
      return;
    }
    ++held_;
    faults_ += holders_.fetch_add(1) != 0;
    faults_ += !strand_.note_turn(c->turn);
    if (chance(10)) strand_.line.end_on_strand(*c);
    holders_.fetch_sub(1);
    const auto ended = strand_.line.release_fast(*c);
    if (ended.next) ended.next->complete_fast();
    if (!ended.is_done) strand_.post({strand::task::release, c});
    c->wait_while(member::state::held);
  }

  strand& strand_;
  std::atomic<int>& holders_;
  std::minstd_rand dice_;
  int held_ = 0;
  int given_up_ = 0;
  int faults_ = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(one_holder_at_a_time_and_each_turn_once) {
  constexpr int times = 5000;
  std::atomic<int> holders{0};
  std::vector<std::unique_ptr<caller>> callers;
  {
    strand at;
    for (unsigned i = 0; i < 4; ++i)
      callers.push_back(std::make_unique<caller>(at, holders, i + 1));
    std::vector<std::thread> threads;
    for (const auto& each : callers)
      threads.emplace_back([&each] { each->use(times); });
    for (auto& each : threads)
      each.join();
  }
  for (const auto& each : callers) {
    BOOST_TEST(each->faults() == 0);
    BOOST_TEST(each->held() > times / 4);
    BOOST_TEST(each->given_up() > 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
