// What is left at the servers of locks that a program uses no more.
#include "support/counted_client.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

// How many locks that nobody uses a client remembers.
constexpr int remembered = 1024;

struct scene {
  scene() {
    witness.create_all("/test");
    // Those of the clients of the test before go in the background.
    wait_until([] { return watches() == 0; });
  }

  static std::int64_t watches() { return shared_server().counter("zk_watch_count"); }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  const std::string path = fresh_path();
};

template <class Lock>
void use(Lock& lock, int times = 1) {
  for (int i = 0; i < times; ++i)
    get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
}

// So many locks that each of those that were used before is forgotten.
void use_others(client& zk, const std::string& path, int count = remembered) {
  std::vector<std::future<void>> released;
  for (int i = 0; i < count; ++i) {
    mutex lock(zk, path + "/other-" + std::to_string(i));
    released.push_back(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
  }
  for (auto& each : released)
    get(each);
}

// An operation that the test cancels.
template <class Result>
struct cancellable {
  template <class Start>
  explicit cancellable(Start start)
      : result(start(asio::bind_cancellation_slot(signal.slot(), asio::use_future))) {}

  error_code cancel() {
    signal.emit(asio::cancellation_type::terminal);
    return error_of(result);
  }

  asio::cancellation_signal signal;
  std::future<Result> result;
};

client_options persistent(client_options options) {
  options.parents = parent_kind::persistent;
  return options;
}

} // namespace

BOOST_AUTO_TEST_SUITE(forgetting, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(watches_on_directories_go_with_what_is_remembered) {
  scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  for (int i = 0; i < remembered + 500; ++i) {
    mutex lock(zk, s.path + '/' + std::to_string(i));
    use(lock, 2);
  }
  BOOST_TEST(s.watches() <= remembered + 1);
  use_others(zk, s.path);
  wait_until([&] { return s.watches() == 0; });
  // Those that are used anew are watched anew.
  mutex lock(zk, s.path + "/0");
  use(lock, 2);
  BOOST_TEST(s.watches() == 1);
  BOOST_TEST(is_watched(s.path + "/0"));
}

// A lock of another kind at the path, and a semaphore whose limit is a node.
BOOST_AUTO_TEST_CASE(watches_of_a_semaphore_go_with_it) {
  scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  s.witness.create_all(s.path);
  s.witness.create_all(s.path + "/limit");
  s.witness.set(s.path + "/limit", std::string("\0\0\0\2", 4));
  semaphore counted(zk, s.path + "/counted", limit_node(s.path + "/limit"));
  use(counted, 2);
  BOOST_TEST(is_watched(s.path + "/limit"));
  use_others(zk, s.path);
  wait_until([&] { return s.watches() == 0; });
}

BOOST_AUTO_TEST_CASE(watches_on_entries_of_others_go_with_what_is_remembered) {
  scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  const auto node = enter_line(s.witness, s.path);
  mutex lock(zk, s.path);
  cancellable<hold> waiting([&](auto token) { return lock.acquire(token); });
  wait_for_watch(node);
  BOOST_TEST((waiting.cancel() == asio::error::operation_aborted));
  use_others(zk, s.path);
  wait_until([&] { return s.watches() == 0; });
}

BOOST_AUTO_TEST_CASE(watches_of_a_question_go_with_it) {
  scene s;
  client zk(s.context.io, options_for(shared_server().address(), 60s));
  using answer = std::optional<participant>;
  const auto ask = [](const mutex& lock, const answer& known) {
    return std::make_unique<cancellable<answer>>(
        [&](auto token) { return lock.holder_changed(known, token); });
  };
  mutex absent(zk, s.path + "/absent");
  mutex empty(zk, s.path + "/empty");
  mutex held(zk, s.path + "/held");
  s.witness.create_all(s.path + "/empty");
  const auto node = enter_line(s.witness, s.path + "/held");
  const auto known = get(held.holder_changed(std::nullopt, asio::use_future));
  BOOST_TEST(s.watches() == 0);

  // Two that ask the same share a watch.
  std::vector<std::unique_ptr<cancellable<answer>>> asking;
  for (int i = 0; i < 2; ++i) {
    asking.push_back(ask(absent, std::nullopt));
    asking.push_back(ask(empty, std::nullopt));
    asking.push_back(ask(held, known));
  }
  wait_until([&] { return s.watches() == 3; });
  // The lock itself watches what the question does.
  cancellable<hold> waiting([&](auto token) { return held.acquire(token); });
  wait_until([&] { return entries(s.witness, s.path + "/held") == 2; });
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST((asking[i]->cancel() == asio::error::operation_aborted));
  BOOST_TEST(s.watches() == 3);
  for (std::size_t i = 3; i < 6; ++i)
    BOOST_TEST((asking[i]->cancel() == asio::error::operation_aborted));
  wait_until([&] { return s.watches() == 1; });
  BOOST_TEST(is_watched(node));
  s.witness.remove(node);
  BOOST_TEST(get(waiting.result).owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
