#include "client/queue_requests.hpp"

#include "recorder.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::test {

using detail::lock_kind;
using queue::answer;
using zookeeper::status;
using kind = queue::action::kind;

namespace {

struct requests_of_a_lock : detail::event_source {
  explicit requests_of_a_lock(lock_kind which = lock_kind::exclusive)
      : lock(detail::make_lock_definition("", "/locks/a", which)),
        queue({.policy = policy_of(which), .limit = 3}, budget) {}

  queue::event_context begin_event() override {
    return {.proven = true, .last_entry = by.last_entry(), .actions = actions};
  }

  /// Gives an event to the queue, and sends the requests that follow.
  template <class Event>
  void feed(Event event) {
    auto context = begin_event();
    event(context);
    carry_out();
  }
  void carry_out() {
    for (auto& action : std::exchange(actions, {})) {
      if (action.what < kind::grant)
        of.send(std::move(action));
      else
        told.push_back(std::move(action));
    }
  }

  /// Answers the oldest request.
  void answer_first(const zookeeper::reply& reply) {
    ++answered;
    of.answered(reply, *this);
    carry_out();
  }
  void answer_first(status result) {
    zookeeper::reply reply;
    reply.result = result;
    answer_first(reply);
  }

  void answer_as_servers() {
    zookeeper::reply reply;
    const auto what = of.in_flight().front().action.what;
    if (what == kind::create) entry = by.sent[answered] + "000000000" + std::to_string(created++);
    const std::string_view name = std::string_view(entry).substr(entry.rfind('/') + 1);
    if (what == kind::create) {
      reply.path = entry;
      reply.czxid = 5;
    } else if (what == kind::list || what == kind::sync_and_list) {
      reply.children = std::span(&name, entry.empty() ? 0 : 1);
      reply.children_ever = created;
    } else if (what == kind::take) {
      reply.transaction = 7;
    }
    answer_first(reply);
  }

  recorder by;
  const detail::lock_definition lock;
  queue::node_budget budget{1'000'000};
  queue::lock_queue queue;
  detail::queue_requests of{by, by, lock, queue};
  std::vector<queue::action> actions;
  std::vector<queue::action> told;
  std::size_t answered = 0;
  // How many entries were created, and the path of the newest entry.
  int created = 0;
  std::string entry;
};

struct requests_of_a_semaphore : requests_of_a_lock {
  requests_of_a_semaphore() : requests_of_a_lock(lock_kind::semaphore) {}

  /// Acquires permits, and releases them: sends the deletes.
  void release(std::uint32_t permits) {
    feed([&](queue::event_context& context) { queue.connected(context, by.token()); });
    queue.add({.permits = permits});
    feed([&](queue::event_context& context) { queue.serve(context); });
    while (!of.in_flight().empty())
      answer_as_servers();
    BOOST_TEST_REQUIRE(told.size() == 1u);
    BOOST_TEST_REQUIRE((told.front().what == kind::grant));
    const auto held = told.front().entry;
    told.clear();
    by.sent.clear();
    feed([&](queue::event_context& context) { queue.release(context, held); });
    BOOST_TEST_REQUIRE(by.sent.size() == permits);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(queue_requests, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(replies_belong_to_requests_in_their_order, requests_of_a_lock) {
  of.send({.what = kind::remove_orphan, .name = "first"});
  of.send({.what = kind::watch, .name = "watched"});
  of.send({.what = kind::remove_orphan, .name = "second"});
  BOOST_TEST(by.sent == (strings{"/locks/a/first", "/locks/a/watched", "/locks/a/second"}), each);
  BOOST_TEST(of.in_flight().size() == 3u);
  answer_first(status::no_permission);
  BOOST_TEST_REQUIRE(by.logged.size() == 1u);
  BOOST_TEST(by.logged.back().starts_with("/locks/a: first may not be deleted"));
  answer_first(status::ok);
  BOOST_TEST_REQUIRE(by.logged.size() == 1u);
  answer_first(status::no_permission);
  BOOST_TEST_REQUIRE(by.logged.size() == 2u);
  BOOST_TEST(by.logged.back().starts_with("/locks/a: second may not be deleted"));
  BOOST_TEST(of.in_flight().empty());
}

BOOST_FIXTURE_TEST_CASE(permits_are_removed_with_the_last_reply, requests_of_a_semaphore) {
  release(3);
  answer_first(status::ok);
  answer_first(status::no_permission);
  BOOST_TEST(told.empty());
  answer_first(status::ok);
  BOOST_TEST_REQUIRE(told.size() == 1u);
  BOOST_TEST((told.front().what == kind::forget));
  BOOST_TEST((told.front().why == queue::reason::no_permission));
  BOOST_TEST(!queue.has_refused());
}

BOOST_FIXTURE_TEST_CASE(failure_that_may_pass_outweighs_a_lasting_failure,
                        requests_of_a_semaphore) {
  release(3);
  answer_first(status::no_permission);
  answer_first(status::failed);
  answer_first(status::no_permission);
  BOOST_TEST(told.empty());
  BOOST_TEST(queue.has_refused());
}

BOOST_FIXTURE_TEST_CASE(permit_that_is_missing_counts_as_removed, requests_of_a_semaphore) {
  release(2);
  answer_first(status::no_node);
  BOOST_TEST(told.empty());
  answer_first(status::ok);
  BOOST_TEST_REQUIRE(told.size() == 1u);
  BOOST_TEST((told.front().what == kind::forget));
  BOOST_TEST((told.front().why == queue::reason::none));
}

BOOST_FIXTURE_TEST_CASE(permits_are_listed_before_entries_after_a_reconnect,
                        requests_of_a_semaphore) {
  of.send({.what = kind::sync_and_list});
  BOOST_TEST(by.sent == (strings{"/locks/a/leases", "/locks/a/locks"}), each);
}

BOOST_FIXTURE_TEST_CASE(missing_parents_are_made_before_the_directory, requests_of_a_lock) {
  of.send({.what = kind::make_parents});
  answer_first(status::no_node);
  answer_first(status::ok);
  answer_first(status::ok);
  BOOST_TEST(by.sent == (strings{"/locks/a", "/locks", "/locks/a"}), each);
  BOOST_TEST(of.made().test(detail::made_line));
}

BOOST_FIXTURE_TEST_CASE(directory_that_was_deleted_counts_as_made_no_longer, requests_of_a_lock) {
  of.send({.what = kind::make_directory});
  answer_first(status::ok);
  BOOST_TEST(of.made().test(detail::made_line));
  of.directory_changed(true);
  BOOST_TEST(of.made().none());
}

// The lock is used twice, so that its directory is watched.
BOOST_FIXTURE_TEST_CASE(watch_on_the_directory_outlives_the_use_of_a_lock, requests_of_a_lock) {
  const detail::idle_lock unused = of.rest(this);
  BOOST_TEST(unused.made.none());
  BOOST_TEST(!unused.known.is_watched);
  feed([&](queue::event_context& context) { queue.connected(context, by.token()); });
  for (int i = 0; i < 2; ++i) {
    queue.add({});
    feed([&](queue::event_context& context) { queue.serve(context); });
    while (!of.in_flight().empty())
      answer_as_servers();
    BOOST_TEST_REQUIRE(!told.empty());
    const auto held = told.front().entry;
    feed([&](queue::event_context& context) { queue.release(context, held); });
    while (!of.in_flight().empty())
      answer_as_servers();
    told.clear();
  }
  const std::string line = "/locks/a";
  by.watches().asked(&of, line + "/other", zookeeper::watch_kind::node);
  by.watches().answered(&of, line + "/other", zookeeper::watch_kind::node, true);

  const auto kept = of.rest(this);
  BOOST_TEST(kept.known.is_watched);
  BOOST_TEST(kept.writes_succeed);
  BOOST_TEST(kept.made.test(detail::made_line));
  BOOST_TEST(by.unwatched == strings{line + "/other"}, each);

  detail::queue_requests later(by, by, lock, queue);
  later.resume(kept, this);
  BOOST_TEST(later.made().test(detail::made_line));
  by.watches().release(this, by);
  BOOST_TEST(by.unwatched == strings{line + "/other"}, each);
  later.release_watches();
  BOOST_TEST(by.unwatched == (strings{line + "/other", line}), each);
}

BOOST_FIXTURE_TEST_CASE(failure_of_a_repeated_request_is_logged_once, requests_of_a_lock) {
  for (const auto result : {status::failed, status::failed, status::ok, status::failed}) {
    of.send({.what = kind::make_directory});
    answer_first(result);
  }
  BOOST_TEST(by.logged.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
