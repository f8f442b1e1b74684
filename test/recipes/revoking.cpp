// Asking a holder to let go.
#include "recipes/looking.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr const char* curators_uuid = "_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11";

} // namespace

BOOST_FIXTURE_TEST_SUITE(revoking, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(a_holder_hears_who_asks) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(zk, path);
    const mutex theirs(other, path);
    hold held = co_await ours.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await watched(held.node());
    const auto all = co_await theirs.participants();
    BOOST_TEST(!request.done());
    door.reset_counts();
    co_await theirs.request_release(all.at(0));
    BOOST_TEST(asked() == "set=1");
    const auto [error, who] = co_await request.get();
    BOOST_TEST(!error);
    BOOST_TEST(who == "asker");
    BOOST_TEST(witness.get(held.node()).data == "__REVOKE__\nasker\nholder");
    const auto after = co_await theirs.participants();
    BOOST_TEST(after.at(0).release_requested);
    BOOST_TEST(after.at(0).identity == "holder");
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    // It is gone already: that is what was wanted.
    co_await theirs.request_release(all.at(0));
  });
}

BOOST_AUTO_TEST_CASE(a_request_made_before_one_looks_is_not_missed_and_told_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(other, path);
    const mutex theirs(zk, path);
    const hold held = co_await ours.acquire(10s);
    const auto holder = (co_await theirs.participants()).at(0);
    co_await theirs.request_release(holder);
    door.reset_counts();
    BOOST_TEST(co_await held.wait_release_requested() == "holder");
    BOOST_TEST(asked() == "get=1");
    // One who goes on holding hears of the next request only.
    pending<std::string> next;
    held.wait_release_requested(next.token());
    co_await answers(testing::operation::get_data, 1);
    co_await theirs.count_waiting();
    BOOST_TEST(!next.done());
    co_await theirs.request_release(holder);
    BOOST_TEST(std::get<1>(co_await next.get()) == "holder");
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(witness.get(held.node()).data == "__REVOKE__\nholder\nasker");
  });
}

BOOST_AUTO_TEST_CASE(all_who_look_are_told) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(zk, path);
    const hold held = co_await ours.acquire(10s);
    pending<std::string> one, two;
    held.wait_release_requested(one.token());
    held.wait_release_requested(two.token());
    co_await watched(held.node());
    witness.set(held.node(), "__REVOKE__");
    BOOST_TEST(std::get<1>(co_await one.get()) == "");
    BOOST_TEST(std::get<1>(co_await two.get()) == "");
  });
}

BOOST_AUTO_TEST_CASE(curators_revoker_is_heard_and_other_data_is_no_request) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(zk, path);
    const hold held = co_await ours.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    for (const char* text : {"", "a note", "__REVOKE__D"}) {
      co_await watched(held.node());
      witness.set(held.node(), text);
    }
    co_await watched(held.node());
    BOOST_TEST(!request.done());
    witness.set(held.node(), "__REVOKE__");
    const auto [error, who] = co_await request.get();
    BOOST_TEST(!error);
    BOOST_TEST(who == "");
    const auto all = co_await ours.participants();
    BOOST_TEST(all.at(0).release_requested);
    BOOST_TEST(all.at(0).identity == "");
  });
}

BOOST_AUTO_TEST_CASE(others_are_asked_as_curator_asks_them) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto first = enter(std::string(curators_uuid) + "-lock-", "10.0.0.7");
    const auto second = enter("4f5be1a4a3db4d0bb2a5f93d56a5a2b5__lock__");
    const mutex lock(other, path);
    for (const auto& each : co_await lock.participants())
      co_await lock.request_release(each);
    BOOST_TEST(witness.get(first).data == "__REVOKE__");
    BOOST_TEST(witness.get(second).data == "__REVOKE__");
  });
}

BOOST_AUTO_TEST_CASE(one_who_waits_hears_of_it_when_he_holds) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(zk, path);
    hold first = co_await ours.acquire(10s);
    pending<hold> second;
    mutex theirs(other, path);
    theirs.acquire(60s, second.token());
    co_await wait_for_entries(witness, path, 2);
    const auto waiter = (co_await ours.participants()).at(1);
    co_await ours.request_release(waiter);
    co_await first.release();
    const auto [error, held] = co_await second.get();
    BOOST_TEST(!error);
    BOOST_TEST(co_await held.wait_release_requested() == "holder");
  });
}

BOOST_AUTO_TEST_CASE(it_follows_a_writer_that_becomes_a_reader) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex ours(zk, path);
    const shared_mutex theirs(other, path);
    hold held = co_await ours.acquire(10s);
    co_await theirs.request_release((co_await theirs.participants()).at(0));
    BOOST_TEST(co_await held.wait_release_requested() == "asker");
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await watched(held.node());
    co_await held.downgrade();
    co_await watched(held.node());
    BOOST_TEST(!request.done());
    BOOST_TEST(held.owns_lock());
    const auto reader = (co_await theirs.participants()).at(0);
    BOOST_TEST(reader.node == held.node());
    BOOST_TEST(reader.identity == "holder");
    BOOST_TEST(!reader.release_requested);
    co_await theirs.request_release(reader);
    BOOST_TEST(std::get<1>(co_await request.get()) == "asker");
  });
}

BOOST_AUTO_TEST_CASE(of_several_permits_any_will_do) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 3);
    const semaphore theirs(other, path, 3);
    const hold held = co_await ours.acquire(3, 10s);
    for (const auto& each : co_await theirs.participants()) {
      co_await theirs.request_release(each);
      BOOST_TEST(co_await held.wait_release_requested() == "asker");
    }
    BOOST_TEST(witness.get(held.node()).data == "__REVOKE__\nasker\nholder");
  });
}

BOOST_AUTO_TEST_CASE(only_those_of_the_lock_can_be_asked) {
  run(io, [&]() -> asio::awaitable<void> {
    witness.create_all(path + "/config");
    const mutex lock(other, path);
    const auto entry = "/" + std::string(curators_uuid) + "-lock-0000000000";
    for (const auto& node : {std::string(), path, path + "/config", path + "x" + entry,
                             path + "/a" + entry, "relative" + entry, path + "//" + entry}) {
      const participant nobody{.node = node};
      const auto [error] = co_await lock.request_release(nobody, as_result);
      BOOST_TEST((error == errc::bad_path));
    }
    // One that is gone.
    const participant gone{.node = path + entry};
    co_await lock.request_release(gone);
    BOOST_TEST(witness.get(path + "/config").data == "");
  });
}

// It may have been made: making it once more does no harm.
BOOST_AUTO_TEST_CASE(a_request_whose_answer_is_lost_is_made_again) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto node = enter(std::string(curators_uuid) + "-lock-");
    const participant holder{.node = node};
    const mutex lock(other, path);
    const auto hook = door.cut_before_reply(testing::operation::set_data);
    co_await lock.request_release(holder);
    BOOST_TEST(hook.fired());
    BOOST_TEST(witness.get(node).data == "__REVOKE__");
  });
}

BOOST_AUTO_TEST_SUITE_END()
