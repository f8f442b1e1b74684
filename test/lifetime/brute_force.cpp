// Stops a program after each of its handlers and destroys everything in all orders.
#include "support/background.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// Much longer than the test: a node that is gone was deleted.
constexpr auto session_timeout = 60s;

class stopped_program {
 public:
  explicit stopped_program(const std::string& path)
      : io_(std::in_place, 1),
        one_(std::in_place, *io_, options_for(shared_server().address(), session_timeout)),
        two_(std::in_place, *io_, options_for(shared_server().address(), session_timeout)) {
    asio::co_spawn(*io_, play(path), [this](std::exception_ptr failure) {
      failed_ = failure != nullptr;
      played_ = true;
    });
  }

  /// Runs a handler. Returns false if there was none.
  bool step() {
    io_->restart();
    return io_->run_one_for(10s) != 0;
  }

  bool played() const { return played_; }
  bool failed() const { return failed_; }

  /// Destroys all parts in the order of this number.
  void destroy(std::size_t order) {
    std::array<int, 4> parts{0, 1, 2, 3};
    for (; order > 0; --order)
      std::next_permutation(parts.begin(), parts.end());
    for (const int which : parts) {
      if (which == 0) io_.reset();
      if (which == 1) one_.reset();
      if (which == 2) two_.reset();
      if (which == 3) held_ = hold();
    }
  }

  static constexpr std::size_t orders = 24;

 private:
  static asio::awaitable<void> wait_behind(mutex lock) {
    hold held = co_await lock.acquire(30s);
    held.wait_lost(asio::detached);
    co_await held.release();
  }

  asio::awaitable<void> play(std::string path) {
    mutex lock(*one_, path);
    mutex other(*two_, path);
    held_ = co_await lock.acquire(30s);
    held_.wait_lost(asio::detached);
    if (const hold tried = co_await other.try_acquire()) throw std::logic_error("two clients hold the lock");
    asio::co_spawn(*io_, wait_behind(other), asio::detached);
    asio::co_spawn(*io_, wait_behind(lock), asio::detached);
    const auto timed = co_await lock.acquire(5ms, as_result);
    if (std::get<0>(timed) != errc::timed_out) throw std::logic_error("two clients hold the lock");
    co_await held_.release();
    auto body = [](hold& held) -> asio::awaitable<void> {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
      if (!held.owns_lock()) throw std::logic_error("the hold is empty");
    };
    co_await with_lock(lock, 30s, body);
    held_ = co_await other.acquire(30s);
    co_await one_->close(asio::use_awaitable);
    co_await two_->close(asio::use_awaitable);
  }

  hold held_;
  std::optional<asio::io_context> io_;
  std::optional<client> one_;
  std::optional<client> two_;
  bool played_ = false;
  bool failed_ = false;
};

} // namespace

BOOST_AUTO_TEST_SUITE(brute_force, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(all_parts_can_be_destroyed_after_any_handler) {
  testing::raw_client witness(shared_server().direct_address());
  std::vector<std::string> paths{fresh_path()};
  std::size_t handlers = 0;
  {
    stopped_program whole(paths[0]);
    while (!whole.played() && whole.step())
      ++handlers;
    BOOST_TEST(whole.played());
    BOOST_TEST(!whole.failed());
  }
  BOOST_TEST_MESSAGE(handlers << " handlers");
  BOOST_TEST(handlers > 20u);

  for (std::size_t stop = 0; stop <= handlers; stop += stop < 200 ? 1 : 1 + handlers / 100) {
    paths.push_back(fresh_path());
    stopped_program part(paths.back());
    for (std::size_t i = 0; i < stop && part.step(); ++i) {}
    BOOST_TEST(!part.failed());
    part.destroy(stop % stopped_program::orders);
  }
  for (const auto& path : paths)
    wait_until([&] { return entries(witness, path) == 0; });
}

BOOST_AUTO_TEST_SUITE_END()
