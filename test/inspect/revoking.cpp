// Release requests: asking a holder to release.
//
// Sources: Curator's Revoker and Revocable; CURATOR-150, CURATOR-650.
#include "inspect/looking.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr const char* curators_uuid = "_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11";

} // namespace

BOOST_FIXTURE_TEST_SUITE(revoking, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(holder_receives_the_identity_of_the_requester) {
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
    BOOST_TEST(requests_sent() == "get=1 set=1");
    const auto [error, requester] = co_await request.get();
    BOOST_TEST(!error);
    BOOST_TEST(requester == "asker");
    BOOST_TEST(witness.get(held.node()).data == "__REVOKE__\nasker\nholder");
    const auto after = co_await theirs.participants();
    BOOST_TEST(after.at(0).release_requested);
    BOOST_TEST(after.at(0).identity == "holder");
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    // The entry is gone already, which was the request's aim.
    co_await theirs.request_release(all.at(0));
  });
}

BOOST_AUTO_TEST_CASE(release_request_made_before_the_wait_is_reported_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(other, path);
    const mutex theirs(zk, path);
    const hold held = co_await ours.acquire(10s);
    const auto holder = (co_await theirs.participants()).at(0);
    co_await theirs.request_release(holder);
    door.reset_counts();
    BOOST_TEST(co_await held.wait_release_requested() == "holder");
    BOOST_TEST(requests_sent() == "get=1");
    // A holder that keeps the lock is told of the next request only.
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

BOOST_AUTO_TEST_CASE(release_request_is_reported_to_all_waits_of_a_hold) {
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

BOOST_AUTO_TEST_CASE(request_of_curators_revoker_is_reported_and_other_data_is_not) {
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
    const auto [error, requester] = co_await request.get();
    BOOST_TEST(!error);
    BOOST_TEST(requester == "");
    const auto all = co_await ours.participants();
    BOOST_TEST(all.at(0).release_requested);
    BOOST_TEST(all.at(0).identity == "");
  });
}

BOOST_AUTO_TEST_CASE(release_request_to_a_foreign_holder_is_curators) {
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

BOOST_AUTO_TEST_CASE(release_request_to_a_waiter_is_reported_once_it_holds) {
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

BOOST_AUTO_TEST_CASE(wait_for_requests_follows_a_downgrade) {
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

BOOST_AUTO_TEST_CASE(release_request_to_any_of_several_permits_is_reported) {
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

BOOST_AUTO_TEST_CASE(release_request_to_another_node_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    witness.create_all(path + "/config");
    const mutex lock(other, path);
    const auto entry = "/" + std::string(curators_uuid) + "-lock-0000000000";
    for (const auto& node : {std::string(), path, path + "/config", path + "x" + entry,
                             path + "/a" + entry, "relative" + entry, path + "//" + entry}) {
      const participant unknown{.node = node};
      const auto [error] = co_await lock.request_release(unknown, as_result);
      BOOST_TEST((error == errc::bad_path));
    }
    // An entry that is gone.
    const participant gone{.node = path + entry};
    co_await lock.request_release(gone);
    BOOST_TEST(witness.get(path + "/config").data == "");
  });
}

// The first request may have been carried out: a second request does no harm.
BOOST_AUTO_TEST_CASE(release_request_with_a_lost_answer_is_made_again) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto node = enter(std::string(curators_uuid) + "-lock-");
    const participant holder{.node = node};
    const mutex lock(other, path);
    const auto hook = testing::relay_hooks(door).cut_before_reply(testing::operation::set_data);
    co_await lock.request_release(holder);
    BOOST_TEST(hook.fired());
    BOOST_TEST(witness.get(node).data == "__REVOKE__");
  });
}

BOOST_AUTO_TEST_SUITE_END()
