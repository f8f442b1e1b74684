// Sessions at work while their connections break at random, and sessions expire.
#include <zklock/testing/relay.hpp>

#include "testing/relay_hooks.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <deque>
#include <random>

using namespace zklock::test;
namespace testing = zklock::testing;
using testing::direction;
using zklock::errc;
using zklock::error_code;

namespace {

/// Sends bursts of requests and checks that each is answered at most once, in order, and only
/// while connected.
class worker final : public zklock::zookeeper::session_owner, public zklock::zookeeper::receiver {
 public:
  worker(asio::io_context& io, std::mt19937& random, std::string directory,
         const std::string& servers)
      : random_(random), directory_(std::move(directory)) {
    session_options options;
    options.servers = zklock::zookeeper::parse_server_list(servers).servers;
    options.timeout = 1500ms;
    options.access_list = {{31, "world", "anyone"}};
    session = session::make(zklock::zookeeper::strand(asio::any_io_executor(io.get_executor())),
                            options, *this);
    session->start();
  }

  ~worker() { session->abandon(); }

  bool idle() const { return connected_ && unanswered_.empty(); }

  void on_connected(bool is_new, std::chrono::milliseconds) noexcept override {
    check(!connected_ && is_new == expired_, "a connection of a connected session");
    connected_ = true;
    expired_ = false;
    if (is_new) entries_.clear();
    burst();
  }

  void on_disconnected() noexcept override {
    check(connected_, "a loss of a connection that was none");
    connected_ = false;
    unanswered_.clear();
    ++losses;
  }

  void on_rolled_back() noexcept override {}
  void on_expired(errc) noexcept override {
    check(!connected_, "an expiry while connected");
    check(!expired_, "an expiry of a session that is not known");
    expired_ = true;
  }

  void on_request() noexcept override {}
  void on_failed(errc reason) noexcept override {
    check(false, "failed: " + zklock::error_code(reason).message());
  }

  void on_watch(std::string_view, watch_event) noexcept override {
    check(connected_, "a watch of a session that is not connected");
  }

  void on_reply(request_tag tag, const reply& values) noexcept override {
    check(connected_, "a reply while not connected");
    check(!unanswered_.empty() && unanswered_.front() == tag.which, "a reply out of order");
    check(values.result != status::failed, "a failed request");
    if (!unanswered_.empty()) unanswered_.pop_front();
    if (!values.path.empty()) entries_.emplace_back(values.path);
    ++answers;
    if (unanswered_.empty()) burst();
  }

  std::shared_ptr<zklock::zookeeper::session> session;
  /// The events that break the contract of a session.
  std::vector<std::string> faults;
  bool resting = false;
  int losses = 0;
  int answers = 0;

 private:
  void check(bool holds, std::string fault) {
    if (!holds) faults.push_back(std::move(fault));
  }

  void burst() {
    if (resting) return;
    for (auto count = random_() % 40 + 1; count > 0; --count)
      ask();
  }

  void ask() {
    const auto next = number_++;
    const auto kind = random_() % 8;
    unanswered_.push_back(next);
    if (kind < 3 || entries_.empty()) {
      session->send(zookeeper::create_entry{.path = directory_ + "/entry-",
                                            .data = std::string(random_() % 3000, 'x')},
                    *this, {0, next});
    } else if (kind == 3) {
      session->sync(directory_);
      session->send(zookeeper::list{.path = directory_}, *this, {0, next});
    } else if (kind == 4) {
      session->send(zookeeper::get{.path = entries_.back(), .watch = true}, *this, {0, next});
    } else if (kind == 5) {
      session->send(zookeeper::check{.paths = entries_}, *this, {0, next});
    } else {
      session->send(zookeeper::remove{.path = entries_.front()}, *this, {0, next});
      entries_.erase(entries_.begin());
    }
  }

  std::mt19937& random_;
  std::string directory_;
  std::deque<std::uint64_t> unanswered_;
  std::vector<std::string> entries_;
  std::uint64_t number_ = 0;
  bool connected_ = false;
  bool expired_ = true;
};

void disturb(testing::relay& door, std::mt19937& random, std::vector<testing::hook>& hooks) {
  const auto way = random() % 2 ? direction::to_server : direction::to_client;
  switch (random() % 8) {
  case 0:
  case 1:
    return door.cut();
  case 2:
    return door.refuse();
  case 3:
    return door.silence();
  case 4:
    return door.silence(way);
  case 5:
    return door.heal();
  case 6:
    return door.delay(way, std::chrono::milliseconds(random() % 50));
  default:
    hooks.push_back(testing::relay_hooks(door).when(
        way, [frames = random() % 50](const testing::frame&) mutable { return frames-- == 0; },
        random() % 2 ? testing::reaction::cut_before : testing::reaction::cut_after));
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(disorder)

BOOST_AUTO_TEST_CASE(answers_keep_their_order_while_connections_break) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      testing::raw_client witness(shared_server().address());
      const auto directory = fresh_path();
      witness.create(directory);
      testing::relay one(shared_server().direct_address());
      testing::relay other(shared_server().direct_address());
      asio::io_context io{1};
      std::vector<testing::hook> hooks;
      std::deque<worker> workers;
      for (int i = 0; i < 4; ++i)
        workers.emplace_back(io, random, directory, one.address() + ',' + other.address());

      const auto disturbed = [](const worker& each) { return each.losses > 0 && each.answers > 0; };
      const auto end = std::chrono::steady_clock::now() + 4s;
      while (std::chrono::steady_clock::now() < end ||
             !std::all_of(workers.begin(), workers.end(), disturbed)) {
        io.run_for(std::chrono::milliseconds(random() % 100));
        disturb(random() % 2 ? one : other, random, hooks);
        const auto& unlucky = workers[random() % workers.size()];
        if (random() % 10 == 0 && unlucky.session->id())
          shared_server().expire(unlucky.session->id());
      }
      one.heal();
      other.heal();
      for (auto& each : hooks)
        each.cancel();

      for (auto& each : workers)
        each.resting = true;
      const auto idle = [](const worker& each) { return each.idle(); };
      const auto limit = std::chrono::steady_clock::now() + 20s;
      while (!std::all_of(workers.begin(), workers.end(), idle)) {
        BOOST_REQUIRE((std::chrono::steady_clock::now() < limit));
        io.run_one_for(50ms);
      }
      int closed = 0;
      for (auto& each : workers) {
        for (const auto& fault : each.faults)
          BOOST_ERROR(fault);
        each.session->close([&](error_code error) { closed += !error; });
      }
      io.restart();
      io.run_for(10s);
      BOOST_TEST(io.stopped());
      BOOST_TEST(closed == 4);
      witness.sync(directory);
      BOOST_TEST(witness.children(directory).empty());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
