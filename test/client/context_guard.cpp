// Contexts that are destroyed while threads of other contexts use them.
#include "client/context_guard.hpp"

#include "client/boot_timer.hpp"
#include "client/client_executor.hpp"
#include "client/operation.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using zklock::error_code;
using zklock::detail::boot_timer;
using zklock::detail::boot_timer_link;
using zklock::detail::client_executor;
using zklock::detail::context_guard;

namespace {

using notes = std::vector<std::string>;

/// The events of a context, in order.
class diary {
 public:
  void note(std::string event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  notes events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  notes events_;
};

/// Older than the guard of the context: destroyed once the guard lets it.
class noting_service final : public asio::execution_context::service {
 public:
  static asio::execution_context::id id;
  noting_service(asio::execution_context& context, diary& to) : service(context), diary_(to) {}

 private:
  void shutdown() override { diary_.note("destroyed"); }
  diary& diary_;
};

asio::execution_context::id noting_service::id;

struct guarded_context {
  void run_until(const bool& ended) {
    const auto work = asio::make_work_guard(*io);
    while (!ended)
      io->run_one();
  }

  /// Uses the context on a thread of its own until the context is being destroyed.
  void linger() {
    while (!guard->is_gone())
      std::this_thread::yield();
    asio::post(there, [] {});
    events.note("left");
  }

  diary events;
  std::optional<asio::io_context> io{std::in_place, 1};
  asio::io_context& there = *io;
  const noting_service& noting = asio::make_service<noting_service>(there, events);
  const std::shared_ptr<context_guard> guard = context_guard::of(*io);
};

/// Returns from `execute` once the context is being destroyed.
struct lingering_executor {
  asio::execution_context& query(asio::execution::context_t) const noexcept { return on->there; }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }
  lingering_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }

  template <class Function>
  void execute(Function&& function) const {
    asio::post(on->there, std::forward<Function>(function));
    on->linger();
  }
  bool operator==(const lingering_executor&) const noexcept = default;

  guarded_context* on;
};

class lingering_timer final : public boot_timer {
 public:
  explicit lingering_timer(guarded_context& on) : boot_timer(on.io->get_executor()), on_(on) {}
  ~lingering_timer() override { on_.events.note("timer destroyed"); }

  std::promise<void> begun;

 private:
  void expired() override {
    begun.set_value();
    on_.linger();
  }
  guarded_context& on_;
};

/// An executor that has a reference to something, as an `asio::strand` has.
struct owning_executor {
  asio::execution_context& query(asio::execution::context_t) const noexcept {
    return io->context();
  }
  owning_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }

  template <class Function>
  void execute(Function&& function) const {
    asio::post(*io, std::forward<Function>(function));
  }
  bool operator==(const owning_executor&) const noexcept = default;

  std::shared_ptr<asio::io_context::executor_type> io;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(context_guards, guarded_context, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(destruction_waits_for_a_thread_that_posts_a_handler) {
  asio::io_context home{1};
  bool ended = false;
  auto handler = asio::bind_executor(lingering_executor{this}, [&](error_code) { ended = true; });
  auto op = std::make_unique<zklock::detail::stored_handler<error_code>>(
      zklock::detail::handler<void(error_code)>(std::move(handler), home.get_executor()),
      home.get_executor());
  std::thread poster([&] { op->post({}); });
  run_until(ended);
  io.reset();
  poster.join();
  BOOST_TEST(events.events() == (notes{"left", "destroyed"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(destruction_waits_for_a_thread_that_ends_an_operation_without_a_context) {
  asio::io_context home{1};
  bool ended = false;
  auto bound = asio::bind_executor(lingering_executor{this}, [&](error_code) { ended = true; });
  zklock::detail::handler<void(error_code)> handler(std::move(bound), home.get_executor());
  std::thread poster(
      [&] { zklock::detail::end_without_context(std::move(handler), error_code()); });
  run_until(ended);
  io.reset();
  poster.join();
  BOOST_TEST(events.events() == (notes{"left", "destroyed"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(destruction_waits_for_a_thread_that_has_a_timer_expire) {
  auto timer = std::make_shared<lingering_timer>(*this);
  const boot_timer_link link(timer);
  auto begun = timer->begun.get_future();
  std::thread other([&] { link.expire(); });
  begun.wait();
  // The other thread has the last reference.
  timer.reset();
  io.reset();
  other.join();
  BOOST_TEST(events.events() == (notes{"left", "timer destroyed", "destroyed"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(timer_of_a_destroyed_context_does_not_expire) {
  const auto timer = std::make_shared<lingering_timer>(*this);
  const boot_timer_link link(timer);
  io.reset();
  link.expire();
  BOOST_TEST(!link.is_broken());
  BOOST_TEST(events.events() == notes{"destroyed"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(executors_of_contexts_are_kept_as_they_are) {
  asio::thread_pool pool(1);
  const asio::any_io_executor of_context = io->get_executor();
  const asio::any_io_executor of_pool = pool.get_executor();
  const asio::any_io_executor of_system = asio::system_executor();
  for (const auto& each : {of_context, of_pool, of_system})
    BOOST_TEST((client_executor::of(each) == each));
}

BOOST_AUTO_TEST_CASE(context_takes_the_executor_of_its_client_along) {
  const auto owned = std::make_shared<asio::io_context::executor_type>(io->get_executor());
  const auto kept = client_executor::of(owning_executor{owned});
  const auto later = zklock::detail::never_blocking(kept);
  BOOST_TEST(owned.use_count() > 1);
  BOOST_TEST((&asio::query(kept, asio::execution::context) == &*io));
  BOOST_TEST((later == zklock::detail::never_blocking(kept)));
  BOOST_TEST((later != kept));
  int runs = 0;
  later.execute([&] { ++runs; });
  kept.execute([&] { ++runs; });
  io->run();
  BOOST_TEST(runs == 2);
  io.reset();
  BOOST_TEST(owned.use_count() == 1);
  const auto token = std::make_shared<int>();
  later.execute([&, token] { ++runs; });
  BOOST_TEST(token.use_count() == 1);
  BOOST_TEST(runs == 2);
}

BOOST_AUTO_TEST_CASE(executor_of_a_client_goes_with_its_last_copy) {
  const auto owned = std::make_shared<asio::io_context::executor_type>(io->get_executor());
  std::optional kept{client_executor::of(owning_executor{owned})};
  std::optional copy{zklock::detail::never_blocking(*kept)};
  kept.reset();
  BOOST_TEST(owned.use_count() > 1);
  copy.reset();
  BOOST_TEST(owned.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(operation_on_a_strand_keeps_its_context_busy) {
  std::optional kept{client_executor::of(asio::make_strand(*io))};
  std::optional work{asio::prefer(*kept, asio::execution::outstanding_work.tracked)};
  kept.reset();
  io->poll();
  BOOST_TEST(!io->stopped());
  work.reset();
  io->poll();
  BOOST_TEST(io->stopped());
}

BOOST_AUTO_TEST_SUITE_END()
