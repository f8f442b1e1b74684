// Sessions that end inside a callback, and executors that are destroyed, at any moment.
#include <zklock/testing/relay.hpp>

#include "user.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/test/unit_test.hpp>

#include <thread>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::error_code;

namespace {

/// Connects, creates, watches, removes, loses the connection, comes back and closes.
class scenario {
 public:
  explicit scenario(asio::io_context& io)
      : door_(shared_server().direct_address()), self(io, door_.address()) {
    self.reaction = [this](std::string_view event) { react(event); };
    self.start();
  }

  bool done() const { return closed_; }

  void react(std::string_view event) {
    if (stop_at == event) return stop();
    if (event == "connected" && self.connected == 1) {
      self.session->send(zookeeper::create_directory{.path = path_}, self, {1, 0});
      self.session->send(zookeeper::create_entry{.path = path_ + "/e-"}, self, {2, 0});
      self.session->send(zookeeper::list{.path = path_}, self, {3, 0});
    } else if (event == "connected") {
      self.session->close([this](error_code) { closed_ = true; });
    } else if (event == "reply" && self.answers.back().tag.what == 2) {
      self.session->send(zookeeper::get{.path = self.answers.back().path, .watch = true}, self,
                         {4, 0});
      self.session->send(zookeeper::remove{.path = self.answers.back().path}, self, {5, 0});
    } else if (event == "reply" && self.answers.back().tag.what == 5) {
      door_.cut();
    }
  }

  void stop() {
    stopped = true;
    stop_at = "-";
    switch (how) {
    case ways::abandon:
      return self.session->abandon();
    case ways::drop:
      return self.session.reset();
    case ways::close:
      return self.session->close([this](error_code) { closed_ = true; });
    }
  }

 private:
  testing::relay door_;
  std::string path_ = fresh_path();
  bool closed_ = false;

 public:
  enum class ways { abandon, drop, close };

  user self;
  std::string stop_at = "-";
  ways how = ways::abandon;
  bool stopped = false;
};

/// Abandons a session when the context that runs it is destroyed: users of a library may not do so
/// themselves.
class keeper final : public asio::execution_context::service {
 public:
  static inline asio::execution_context::id id;

  explicit keeper(asio::execution_context& context) : service(context) {}

  std::function<void()> farewell;

 private:
  void shutdown() noexcept override {
    if (farewell) farewell();
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(stopping)

BOOST_AUTO_TEST_CASE(session_ends_inside_each_kind_of_callback) {
  for (const auto how : {scenario::ways::abandon, scenario::ways::drop, scenario::ways::close}) {
    for (const auto* event : {"connected", "reply", "watch", "disconnected"}) {
      asio::io_context io{1};
      scenario run(io);
      run.how = how;
      run.stop_at = event;
      run.self.wait(event, [&] { return run.stopped; });
      const auto answers = run.self.answers.size();
      io.restart();
      io.run_for(10s);
      BOOST_TEST(io.stopped());
      BOOST_TEST(run.self.answers.size() == answers);
      BOOST_TEST(run.done() == (how == scenario::ways::close));
    }
  }
}

BOOST_AUTO_TEST_CASE(session_ends_inside_the_expired_callback) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  self.reaction = [&](std::string_view event) {
    if (event == "expired") self.session.reset();
  };
  shared_server().expire(self.session->id());
  self.wait("expired", [&] { return self.expired == 1; });
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(self.connected == 1);
}

BOOST_AUTO_TEST_CASE(context_is_destroyed_after_any_number_of_handlers) {
  enum { abandoned_before, dropped_before, abandoned_by_a_service, ways };
  for (int way = 0; way < ways; ++way) {
    bool done = false;
    for (std::size_t handlers = 0; !done; ++handlers) {
      BOOST_REQUIRE_LT(handlers, 200);
      std::optional<asio::io_context> io(std::in_place, 1);
      scenario run(*io);
      if (way == abandoned_by_a_service) {
        asio::use_service<keeper>(*io).farewell = [session = run.self.session] {
          session->abandon();
        };
      }
      for (std::size_t i = 0; i < handlers && !run.done(); ++i)
        io->run_one_for(5s);
      done = run.done();
      if (way == abandoned_before) run.self.session->abandon();
      if (way == dropped_before) run.self.session.reset();
      io.reset();
    }
  }
}

BOOST_AUTO_TEST_CASE(context_is_destroyed_while_a_session_closes) {
  // The thread that ends the session finds no executor to report to.
  testing::relay door(shared_server().direct_address());
  std::optional<asio::io_context> io(std::in_place, 1);
  user self(*io, door.address());
  self.start();
  self.wait_connected();
  door.silence();
  bool said = false;
  self.session->close([&](error_code) { said = true; });
  self.session.reset();
  io.reset();
  BOOST_TEST(!said);
}

BOOST_AUTO_TEST_CASE(many_sessions_run_on_many_threads) {
  const auto path = fresh_path();
  testing::raw_client(shared_server().address()).create(path);
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      asio::io_context io{2};
      user self(io, shared_server().address());
      int left = 100;
      self.reaction = [&](std::string_view event) {
        if (event == "reply" && !self.answers.back().path.empty()) {
          self.session->send(zookeeper::remove{.path = self.answers.back().path}, self, {2, 0});
        } else if (--left > 0) {
          self.session->send(zookeeper::create_entry{.path = path + "/e-"}, self, {1, 0});
        } else {
          self.session->close([&](error_code error) { done += !error; });
        }
      };
      self.start();
      std::thread second([&] { io.run_for(30s); });
      io.run_for(30s);
      second.join();
    });
  }
  for (auto& each : threads)
    each.join();
  BOOST_TEST(done == 4);
}

BOOST_AUTO_TEST_SUITE_END()
