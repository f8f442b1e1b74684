// Watches and directories of locks that a program no longer uses.
#include "support/counted_client.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <malloc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

// The number of idle locks that a client remembers.
constexpr int remembered = 1024;

// The number of directories deleted in a transaction.
constexpr int deleted_at_once = 64;

struct forgetting_scene {
  forgetting_scene() {
    witness.create_all("/test");
    // Watches of the clients of earlier tests go in the background.
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

// Uses so many locks that each lock used before is forgotten.
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

BOOST_AUTO_TEST_CASE(watch_on_a_directory_is_removed_with_its_idle_lock) {
  forgetting_scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  for (int i = 0; i < remembered + 500; ++i) {
    mutex lock(zk, s.path + '/' + std::to_string(i));
    use(lock, 2);
  }
  BOOST_TEST(s.watches() <= remembered + 1);
  use_others(zk, s.path);
  wait_until([&] { return s.watches() == 0; });
  // A lock used again is watched again.
  mutex lock(zk, s.path + "/0");
  use(lock, 2);
  BOOST_TEST(s.watches() == 1);
  BOOST_TEST(is_watched(s.path + "/0"));
}

// The heap, and the memory of large blocks.
std::size_t bytes_in_use() {
  const auto all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

// The check of the session puts locks away that were not used for a session timeout, 64 at a time.
// The locks are forgotten three session timeouts later: by then, all of them are used again.
BOOST_AUTO_TEST_CASE(lock_that_is_not_used_takes_a_kilobyte_and_its_next_use_no_further_request) {
  forgetting_scene s;
  auto options = persistent(options_for("", 10s));
  testing::relay door(shared_server().direct_address());
  options.servers = door.address();
  options.check_interval = 200ms;
  client zk(s.context.io, options);
  constexpr int count = remembered - 100;
  const auto use_all = [&] {
    for (int i = 0; i < count; ++i) {
      mutex lock(zk, s.path + "/lock-of-an-order-" + std::to_string(i));
      use(lock);
    }
  };
  mutex lock(zk, s.path);
  use(lock, 2);
  const auto before = bytes_in_use();
  use_all();
  use_all();
  // The watches are kept, and all else of the locks is put away.
  wait_until([&] { return bytes_in_use() < before + std::size_t{1024} * count; });
  BOOST_TEST_MESSAGE((bytes_in_use() - before) / count << " bytes for each lock");
  BOOST_TEST(s.watches() >= count);
  door.reset_counts();
  use_all();
  BOOST_TEST(door.requests(operation::create2) == count);
  BOOST_TEST(door.requests(operation::remove) == count);
  for (const auto kind : {operation::create, operation::get_children2, operation::get_data})
    BOOST_TEST(door.requests(kind) == 0u);
}

// A lock of another kind at the path, and a semaphore whose limit is a node.
BOOST_AUTO_TEST_CASE(watches_of_a_semaphore_are_removed_with_it) {
  forgetting_scene s;
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

BOOST_AUTO_TEST_CASE(watch_on_a_foreign_entry_is_removed_with_its_idle_lock) {
  forgetting_scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  const auto node = create_foreign_entry(s.witness, s.path);
  mutex lock(zk, s.path);
  cancellable<hold> waiting([&](auto token) { return lock.acquire(token); });
  wait_for_watch(node);
  BOOST_TEST((waiting.cancel() == asio::error::operation_aborted));
  use_others(zk, s.path);
  wait_until([&] { return s.watches() == 0; });
}

BOOST_AUTO_TEST_CASE(watches_of_a_query_are_removed_with_it) {
  forgetting_scene s;
  client zk(s.context.io, options_for(shared_server().address(), 60s));
  using answer = std::optional<participant>;
  const auto ask = [](const mutex& lock, const answer& known) {
    return std::make_unique<cancellable<answer>>(
        [&](auto token) { return lock.wait_holder_changed(known, token); });
  };
  mutex absent(zk, s.path + "/absent");
  mutex empty(zk, s.path + "/empty");
  mutex held(zk, s.path + "/held");
  s.witness.create_all(s.path + "/empty");
  const auto node = create_foreign_entry(s.witness, s.path + "/held");
  const auto known = get(held.wait_holder_changed(std::nullopt, asio::use_future));
  BOOST_TEST(s.watches() == 0);

  // Two equal queries share a watch.
  std::vector<std::unique_ptr<cancellable<answer>>> asking;
  for (int i = 0; i < 2; ++i) {
    asking.push_back(ask(absent, std::nullopt));
    asking.push_back(ask(empty, std::nullopt));
    asking.push_back(ask(held, known));
  }
  wait_until([&] { return s.watches() == 3; });
  // The lock itself watches the node of the query.
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

// For example a program that locks by order number.
BOOST_AUTO_TEST_CASE(directories_made_by_the_client_are_deleted_in_batches) {
  forgetting_scene s;
  counted_client one(s.context);
  s.witness.create_all(s.path);
  constexpr int orders = 1000;
  use_others(one.zk, s.path, remembered + orders);
  wait_until([&] { return entries(s.witness, s.path) < remembered + deleted_at_once; });
  const auto all = static_cast<std::uint64_t>(remembered + orders);
  // A few more are checks, where it takes long.
  BOOST_TEST(one.door.requests(operation::multi) <= orders / deleted_at_once + 10);
  BOOST_TEST(one.door.requests(operation::remove) == all);
  BOOST_TEST(one.door.total_requests() == 4 * all + one.door.requests(operation::multi));
}

BOOST_AUTO_TEST_CASE(directories_stay_where_parents_are_persistent_or_foreign) {
  forgetting_scene s;
  client zk(s.context.io, persistent(options_for(shared_server().address(), 60s)));
  for (const bool others_made : {false, true}) {
    client containers(s.context.io, options_for(shared_server().address(), 60s));
    const auto below = s.path + (others_made ? "/others" : "/persistent");
    constexpr int count = remembered + 2 * deleted_at_once;
    for (int i = 0; others_made && i < count; ++i)
      s.witness.create_all(below + "/other-" + std::to_string(i));
    use_others(others_made ? containers : zk, below, count);
    use_others(others_made ? containers : zk, below + "-more");
    BOOST_TEST(entries(s.witness, below) == static_cast<std::size_t>(count));
  }
}

// A directory that is not empty makes its transaction fail; the deletes of empty ones are repeated.
BOOST_AUTO_TEST_CASE(directories_in_use_stay_while_others_are_deleted) {
  forgetting_scene s;
  for (const int every : {1, 2, 20}) {
    counted_client one(s.context);
    const auto below = s.path + '/' + std::to_string(every);
    s.witness.create_all(below);
    constexpr int count = 4 * deleted_at_once;
    std::size_t staying = 0;
    use_others(one.zk, below, count);
    for (int i = 0; i < count; i += every, ++staying)
      create_foreign_entry(s.witness, below + "/other-" + std::to_string(i));
    use_others(one.zk, below + "-more", remembered + 2 * deleted_at_once);
    const auto sent = [&] { return one.door.requests(operation::multi); };
    wait_until([&] { return sent() >= staying && entries(s.witness, below) == staying; });
    BOOST_TEST_MESSAGE(staying << " of " << count << " not empty: " << sent() << " transactions");
    BOOST_TEST(sent() <= std::min<std::size_t>(count + 2 * deleted_at_once, 7 * staying + 8));
  }
}

BOOST_AUTO_TEST_CASE(all_directories_of_an_idle_semaphore_are_deleted) {
  forgetting_scene s;
  client zk(s.context.io, options_for(shared_server().address(), 60s));
  s.witness.create_all(s.path);
  semaphore counted(zk, s.path + "/counted", 2);
  use(counted);
  BOOST_TEST(entries(s.witness, s.path + "/counted") == 2u);
  use_others(zk, s.path + "-others", remembered + deleted_at_once);
  wait_until([&] { return entries(s.witness, s.path) == 0; });
  use(counted);
  BOOST_TEST(entries(s.witness, s.path + "/counted") == 2u);
}

// Another client holds a permit: the directories that it needs stay.
BOOST_AUTO_TEST_CASE(directories_of_a_semaphore_in_use_stay) {
  forgetting_scene s;
  client zk(s.context.io, options_for(shared_server().address(), 60s));
  client other(s.context.io, options_for(shared_server().address(), 60s));
  semaphore counted(zk, s.path, 1);
  use(counted);
  semaphore theirs(other, s.path, 1);
  hold held = get(theirs.acquire(30s, asio::use_future));
  auto next = theirs.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path + "/locks") == 1; });
  use_others(zk, s.path + "-others", remembered + 2 * deleted_at_once);
  wait_until([&] { return entries(s.witness, s.path + "-others") < remembered + deleted_at_once; });
  BOOST_TEST(entries(s.witness, s.path) == 2u);
  get(held.release(asio::use_future));
  BOOST_TEST(get(next).owns_lock());
}

// The servers have received the delete, and their answer has not arrived.
BOOST_AUTO_TEST_CASE(lock_is_used_again_while_its_directory_is_deleted) {
  for (const bool fails : {false, true}) {
    forgetting_scene s;
    counted_client one(s.context);
    const auto below = s.path + (fails ? "/fails" : "/succeeds");
    use_others(one.zk, below, deleted_at_once);
    use_others(one.zk, s.path + "/more", remembered - 1);
    const auto node = fails ? create_foreign_entry(s.witness, below + "/other-7") : std::string();
    one.door.delay(testing::direction::to_client, 500ms);
    const auto before = one.door.requests(operation::multi);
    mutex last(one.zk, s.path + "/last");
    last.acquire([](error_code, hold got) { got = hold(); });
    wait_until([&] { return one.door.requests(operation::multi) > before; });
    mutex lock(one.zk, below + "/other-7");
    auto waiting = lock.acquire(asio::use_future);
    wait_until([&] { return entries(s.witness, std::string(lock.path())) == (fails ? 2 : 1); });
    one.door.heal();
    if (fails) s.witness.remove(node);
    hold held = get(waiting);
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    requests_sent(one.door);
    use(lock);
    const auto requests = requests_sent(one.door);
    BOOST_TEST(requests.starts_with("create=1 list=1 get=1 remove=1"));
    // Directories that the client created still count as its own.
    use_others(one.zk, s.path + "/yet-more", remembered + 2 * deleted_at_once);
    wait_until([&] { return entries(s.witness, below) == 0; });
  }
}

// `other` still remembers the deleted directory.
BOOST_AUTO_TEST_CASE(another_client_uses_a_lock_whose_directory_was_deleted) {
  forgetting_scene s;
  client zk(s.context.io, options_for(shared_server().address(), 60s));
  client other(s.context.io, options_for(shared_server().address(), 60s));
  s.witness.create_all(s.path);
  mutex lock(zk, s.path + "/lock");
  mutex theirs(other, s.path + "/lock");
  use(lock);
  for (const int times : {1, 2}) {
    use(theirs, times);
    auto before = get(theirs.acquire(30s, asio::use_future));
    const auto token = before.token();
    get(before.release(asio::use_future));
    use(lock);
    use_others(zk, s.path + "-others-" + std::to_string(times), remembered + deleted_at_once);
    if (times == 1) wait_until([&] { return entries(s.witness, s.path) == 0; });
    const hold held = get(theirs.acquire(30s, asio::use_future));
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(held.token() > token);
  }
}

BOOST_AUTO_TEST_CASE(client_at_rest_leaves_no_watches) {
  forgetting_scene s;
  client zk(s.context.io, persistent(options_for(shared_server().direct_address(), 1s)));
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    mutex lock(zk, s.path + "/rest-" + std::to_string(i));
    use(lock, 3);
  }
  BOOST_TEST(forgetting_scene::watches() > 0);
  wait_until([] { return forgetting_scene::watches() == 0; });
  // It is used as any other afterwards.
  mutex again(zk, s.path + "/rest-0");
  use(again, 3);
  BOOST_TEST(forgetting_scene::watches() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
