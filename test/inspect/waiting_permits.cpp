// A semaphore that a Curator client waits for: the waiter has created its permit already.
#include "inspect/looking.hpp"
#include "support/frame_relay.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string_view>

using namespace zklock;
using namespace zklock::test;
using namespace std::string_view_literals;

namespace {

using watching = pending<std::optional<participant>>;

struct contended_semaphore : looking_scene {
  contended_semaphore() {
    witness.create_all(path + "/locks");
    witness.create(path + "/leases");
  }

  std::string take_permit(testing::raw_client& session, char id) const {
    return session.create(path + "/leases/" + uuid(id) + "-lease-", "10.0.0.7",
                          testing::create_mode::ephemeral_sequential);
  }

  std::string join_line(testing::raw_client& session, char id) const {
    return session.create(path + "/locks/" + uuid(id) + "-lock-", "10.0.0.7",
                          testing::create_mode::ephemeral_sequential);
  }

  semaphore limited_by_node(std::string_view limit) {
    witness.create(limit_path, limit);
    return {other, path, limit_node{limit_path}};
  }

  const std::string limit_path = path + "-limit";
  /// The session that waits.
  testing::raw_client waiter{shared_server().direct_address()};
};

std::size_t count_holders(const std::vector<participant>& all) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const participant& each) { return each.is_holder; }));
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(waiting_permits, contended_semaphore, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(waiter_with_a_permit_is_listed_once_and_as_waiting) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const std::vector held{take_permit(witness, '1'), take_permit(witness, '2'),
                           take_permit(waiter, '3')};
    const auto place = join_line(waiter, '4');
    join_line(witness, '5');
    take_permit(waiter, '6');
    for (const bool fixed : {true, false}) {
      const auto lock = fixed ? semaphore(other, path, 3) : limited_by_node("\0\0\0\3"sv);
      door.reset_counts();
      const auto all = co_await lock.participants();
      BOOST_TEST(requests_sent() == (fixed ? "list=2 get=6" : "list=2 get=7"));
      BOOST_REQUIRE(all.size() == 5u);
      for (std::size_t i = 0; i < held.size(); ++i)
        BOOST_TEST(all[i].node == held[i]);
      BOOST_TEST(all[3].node == place);
      BOOST_TEST(count_holders(all) == 3u);
      BOOST_TEST(co_await lock.count_waiting() == 2u);
    }
  });
}

// The waiter's entry is about to go.
BOOST_AUTO_TEST_CASE(newest_permit_is_held_while_all_fit_the_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    take_permit(witness, '1');
    const auto place = join_line(waiter, '2');
    const auto permit = take_permit(waiter, '3');
    const semaphore lock(other, path, 2);
    const auto all = co_await lock.participants();
    BOOST_TEST(all.size() == 3u);
    BOOST_TEST(count_holders(all) == 2u);
    BOOST_TEST(co_await lock.break_lock() == 2u);
    BOOST_TEST(!witness.exists(permit).has_value());
    BOOST_TEST(witness.exists(place).has_value());
  });
}

// As after the limit was lowered.
BOOST_AUTO_TEST_CASE(permit_older_than_its_entry_is_held) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    take_permit(witness, '1');
    take_permit(waiter, '2');
    join_line(waiter, '3');
    const auto lock = limited_by_node("\0\0\0\1"sv);
    BOOST_TEST(count_holders(co_await lock.participants()) == 2u);
    BOOST_TEST(co_await lock.break_lock() == 2u);
    BOOST_TEST(entries(witness, path + "/leases") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(permit_of_another_session_than_the_first_entry_is_held) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    join_line(witness, '1');
    join_line(waiter, '2');
    take_permit(waiter, '3');
    take_permit(waiter, '4');
    const semaphore lock(other, path, 1);
    BOOST_TEST(count_holders(co_await lock.participants()) == 2u);
    BOOST_TEST(co_await lock.break_lock() == 2u);
  });
}

BOOST_AUTO_TEST_CASE(break_lock_leaves_the_permit_of_a_waiter) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    for (const bool fixed : {true, false}) {
      const auto held = take_permit(witness, '1');
      const auto place = join_line(waiter, '2');
      const auto permit = take_permit(waiter, '3');
      const auto lock = fixed ? semaphore(other, path, 1) : limited_by_node("\0\0\0\1"sv);
      door.reset_counts();
      BOOST_TEST(co_await lock.break_lock() == 1u);
      BOOST_TEST(requests_sent() == (fixed ? "list=2 get=2 remove=1" : "list=2 get=3 remove=1"));
      BOOST_TEST(!witness.exists(held).has_value());
      BOOST_TEST(witness.exists(permit).has_value());
      BOOST_TEST(witness.exists(place).has_value());
      waiter.remove(permit);
      waiter.remove(place);
    }
  });
}

BOOST_AUTO_TEST_CASE(waiter_that_leaves_at_once_since_its_permit_is_gone_was_broken) {
  take_permit(witness, '1');
  const auto place = join_line(waiter, '2');
  take_permit(waiter, '3');
  constexpr int remove = 2;
  int removes = 0;
  frame_relay way(io, shared_server().port(), [&](passing_frame& frame) {
    const bool removes_one = frame.up && !frame.first && int_at(frame.bytes, 4) == remove;
    if (removes_one && ++removes == 2) waiter.remove(place);
    return std::nullopt;
  });
  client own(io, options_for(way.address()));
  run(io, [&]() -> asio::awaitable<void> {
    const semaphore lock(own, path, 1);
    const auto all = co_await lock.participants();
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[1].node == place);
    BOOST_TEST(co_await lock.break_lock(all[1]) == 1u);
    BOOST_TEST(removes == 2);
    BOOST_TEST(co_await lock.break_lock(all[1]) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(broken_waiter_loses_its_permit_too) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto held = take_permit(witness, '1');
    const auto place = join_line(waiter, '2');
    const auto permit = take_permit(waiter, '3');
    const auto behind = join_line(witness, '4');
    const semaphore lock(other, path, 1);
    const auto all = co_await lock.participants();
    BOOST_REQUIRE(all.size() == 3u);
    BOOST_TEST(co_await lock.break_lock(all[2]) == 1u);
    BOOST_TEST(!witness.exists(behind).has_value());
    BOOST_TEST(witness.exists(permit).has_value());
    BOOST_TEST(co_await lock.break_lock(all[1]) == 1u);
    BOOST_TEST(!witness.exists(place).has_value());
    BOOST_TEST(!witness.exists(permit).has_value());
    BOOST_TEST(witness.exists(held).has_value());
    const participant gone = all[1];
    BOOST_TEST(co_await lock.break_lock(gone) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(broken_waiter_loses_its_permit_after_a_lost_answer_too) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const semaphore lock(other, path, 1);
    take_permit(witness, '1');
    for (const auto kind : {testing::operation::get_children2, testing::operation::get_data,
                            testing::operation::remove}) {
      const auto place = join_line(waiter, '2');
      const auto permit = take_permit(waiter, '3');
      const auto hook = testing::relay_hooks(door).cut_before_reply(kind);
      const participant waiting{.node = place};
      BOOST_TEST(co_await lock.break_lock(waiting) == 1u);
      BOOST_TEST(hook.fired());
      BOOST_TEST(!witness.exists(place).has_value());
      BOOST_TEST(!witness.exists(permit).has_value());
    }
  });
}

BOOST_AUTO_TEST_CASE(waiter_is_not_reported_as_the_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto held = take_permit(witness, '1');
    const auto place = join_line(waiter, '2');
    const auto permit = take_permit(waiter, '3');
    const semaphore lock(other, path, 1);
    const participant known{.node = permit};
    auto holder = co_await lock.wait_holder_changed(known);
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node == held);
    watching next;
    lock.wait_holder_changed(holder, next.token());
    co_await watched(held);
    witness.remove(held);
    waiter.remove(place);
    holder = std::get<1>(co_await next.get());
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node == permit);
  });
}

// With a limit of zero the first in line waits until the limit is raised.
BOOST_AUTO_TEST_CASE(waiter_is_reported_as_the_holder_once_its_entry_is_gone) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto place = join_line(waiter, '1');
    const auto permit = take_permit(waiter, '2');
    const auto lock = limited_by_node("\0\0\0\0"sv);
    watching first;
    lock.wait_holder_changed(std::nullopt, first.token());
    co_await watched(place);
    BOOST_TEST(!first.done());
    witness.set(limit_path, "\0\0\0\1"sv);
    waiter.remove(place);
    BOOST_TEST(std::get<1>(co_await first.get()).value().node == permit);
  });
}

BOOST_AUTO_TEST_SUITE_END()
