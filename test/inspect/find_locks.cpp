// client::find_locks: the locks below a path, of kinds that the caller does not know.
#include "inspect/looking.hpp"
#include "inspect/outstanding_requests.hpp"
#include "support/stat_of.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>

using namespace zklock;
using namespace zklock::test;

namespace zklock {

static std::ostream& boost_test_print_type(std::ostream& out, lock_type type) {
  return out << "lock_type " << static_cast<int>(type);
}

} // namespace zklock

namespace {

std::vector<std::string> paths_of(const std::vector<found_lock>& all) {
  std::vector<std::string> paths;
  for (const auto& each : all)
    paths.push_back(each.path);
  return paths;
}

} // namespace

namespace zklock::test {

struct search_scene : looking_scene {
  search_scene() { witness.create_all(path); }

  asio::awaitable<std::vector<found_lock>> find() { return find(path); }

  asio::awaitable<std::vector<found_lock>> find(std::string root) {
    co_return co_await other.find_locks(root);
  }

  std::string make(const std::string& directory) {
    witness.create_all(path + directory);
    return path + directory;
  }

  std::string add(const std::string& node) {
    return witness.create(path + node, "another program",
                          testing::create_mode::ephemeral_sequential);
  }

  /// Calls a function, on the relay's thread, when the reply to the first list is on its way.
  testing::hook after_first_list(std::function<void()> change) {
    return testing::relay_hooks(door).when(
        testing::direction::to_client,
        [change = std::move(change)](const testing::frame& each) {
          if (each.kind != testing::operation::get_children2) return false;
          change();
          return true;
        },
        testing::reaction::observe);
  }
};

} // namespace zklock::test

BOOST_FIXTURE_TEST_SUITE(find_locks, search_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(locks_of_every_kind_are_found_with_their_participants) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex m(zk, path + "/deep/down/mutex");
    shared_mutex rw(zk, path + "/readers");
    semaphore s(zk, path + "/permits", 2);
    const hold first = co_await m.acquire(10s);
    const hold reading = co_await rw.acquire_shared(10s);
    const hold permits = co_await s.acquire(2, 10s);
    pending<hold> waiting;
    pending<hold> writing;
    pending<hold> queued;
    mutex(other, m.path()).acquire(waiting.token());
    rw.acquire(writing.token());
    s.acquire(queued.token());
    co_await wait_for_entries(witness, path + "/deep/down/mutex", 2);
    co_await wait_for_entries(witness, path + "/readers", 2);
    co_await wait_for_entries(witness, path + "/permits/locks", 1);
    make("/config/tree");
    witness.create(path + "/config/tree/timeout", "7");

    const auto all = co_await find();
    BOOST_TEST_REQUIRE(paths_of(all) ==
                           (std::vector<std::string>{path + "/deep/down/mutex", path + "/permits",
                                                     path + "/readers"}),
                       boost::test_tools::per_element());
    BOOST_TEST(all[0].type == lock_type::mutex);
    BOOST_TEST(all[1].type == lock_type::semaphore);
    BOOST_TEST(all[2].type == lock_type::shared_mutex);
    for (const auto& each : all)
      BOOST_TEST(!each.error);

    const auto& line = all[0].participants;
    BOOST_TEST_REQUIRE(line.size() == 2u);
    BOOST_TEST(line[0].node == first.node());
    BOOST_TEST(line[0].is_holder);
    BOOST_TEST((line[0].token == first.token()));
    BOOST_TEST(line[0].identity == "holder");
    BOOST_TEST(line[0].session_id == zk.session_id());
    BOOST_TEST(!line[1].is_holder);
    BOOST_TEST(line[1].identity == "asker");

    const auto& counted = all[1].participants;
    BOOST_TEST_REQUIRE(counted.size() == 3u);
    BOOST_TEST(counted[0].node == permits.node());
    BOOST_TEST(counted[1].identity == "holder");
    BOOST_TEST(counted[1].is_holder);
    BOOST_TEST(!counted[2].is_holder);
    BOOST_TEST((counted[2].role == participant_role::permit));

    const auto& room = all[2].participants;
    BOOST_TEST_REQUIRE(room.size() == 2u);
    BOOST_TEST((room[0].role == participant_role::shared));
    BOOST_TEST(room[0].is_holder);
    BOOST_TEST((room[1].role == participant_role::exclusive));
    BOOST_TEST(!room[1].is_holder);
    const auto since = room[0].queued_since.time_since_epoch() / 1ms;
    BOOST_TEST(since == stat_of(witness, reading.node()).ctime);
  });
}

BOOST_AUTO_TEST_CASE(locks_of_other_clients_are_found) {
  for (const auto* directory :
       {"/curator", "/kazoo", "/go", "/writers", "/kazoo-readers", "/v2/leases"})
    make(directory);
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    add("/curator/" + uuid('1') + "-lock-");
    add("/kazoo/4f5be1a4a3db4d0bb2a5f93d56a5a2b5__lock__");
    add("/go/_c_4f5be1a4a3db4d0bb2a5f93d56a5a2b5-lock-");
    add("/writers/" + uuid('2') + "-__WRIT__");
    add("/kazoo-readers/4f5be1a4a3db4d0bb2a5f93d56a5a2b5__rlock__");
    // The servers have deleted the empty container of the line.
    add("/v2/leases/" + uuid('3') + "-lease-");
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(
        paths_of(all) ==
            (std::vector<std::string>{path + "/curator", path + "/go", path + "/kazoo",
                                      path + "/kazoo-readers", path + "/v2", path + "/writers"}),
        boost::test_tools::per_element());
    BOOST_TEST(all[0].type == lock_type::mutex);
    BOOST_TEST(all[1].type == lock_type::mutex);
    BOOST_TEST(all[2].type == lock_type::mutex);
    BOOST_TEST(all[3].type == lock_type::shared_mutex);
    BOOST_TEST(all[4].type == lock_type::semaphore);
    BOOST_TEST(all[5].type == lock_type::shared_mutex);
    for (const auto& each : all) {
      BOOST_TEST_REQUIRE(each.participants.size() == 1u);
      BOOST_TEST(each.participants[0].is_holder);
      BOOST_TEST(each.participants[0].identity == "another program");
    }
  });
}

// A Curator client that waits for a permit has its node among the permits.
BOOST_AUTO_TEST_CASE(waiter_with_a_permit_is_found_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/v2/leases");
    make("/v2/locks");
    testing::raw_client holder(shared_server().direct_address());
    const auto held = holder.create(path + "/v2/leases/" + uuid('1') + "-lease-", "",
                                    testing::create_mode::ephemeral_sequential);
    const auto entry = add("/v2/locks/" + uuid('2') + "-lock-");
    add("/v2/leases/" + uuid('3') + "-lease-");
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST_REQUIRE(all[0].participants.size() == 2u);
    BOOST_TEST(all[0].participants[0].node == held);
    BOOST_TEST(all[0].participants[0].is_holder);
    BOOST_TEST(all[0].participants[1].node == entry);
    BOOST_TEST(!all[0].participants[1].is_holder);
  });
}

BOOST_AUTO_TEST_CASE(directories_named_as_those_of_a_semaphore_are_judged_by_their_children) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/app/locks/a");
    make("/app/leases/b");
    make("/line/locks");
    make("/empty/locks");
    make("/empty/leases");
    make("/unused/locks");
    make("/unused/leases");
    add("/app/locks/a/" + uuid('1') + "-lock-");
    add("/app/leases/b/" + uuid('2') + "-__READ__");
    add("/line/locks/" + uuid('3') + "-lock-");
    witness.remove(add("/empty/locks/" + uuid('4') + "-lock-"));
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(paths_of(all) ==
                           (std::vector<std::string>{path + "/app/leases/b", path + "/app/locks/a",
                                                     path + "/empty", path + "/line/locks"}),
                       boost::test_tools::per_element());
    BOOST_TEST(all[0].type == lock_type::shared_mutex);
    BOOST_TEST(all[1].type == lock_type::mutex);
    BOOST_TEST(all[2].type == lock_type::semaphore);
    BOOST_TEST(all[2].participants.empty());
    BOOST_TEST(all[3].type == lock_type::mutex);
  });
}

BOOST_AUTO_TEST_CASE(empty_directory_is_found_if_it_had_children) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/unused");
    make("/used");
    witness.remove(add("/used/" + uuid('1') + "-lock-"));
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].path == path + "/used");
    BOOST_TEST(all[0].type == lock_type::unknown);
    BOOST_TEST(all[0].participants.empty());
  });
}

BOOST_AUTO_TEST_CASE(lock_below_a_lock_is_found) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/outer/inner");
    add("/outer/" + uuid('1') + "-lock-");
    add("/outer/inner/" + uuid('2') + "-lock-");
    const auto all = co_await find();
    BOOST_TEST(paths_of(all) == (std::vector<std::string>{path + "/outer", path + "/outer/inner"}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(search_ends_after_the_given_levels) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/a/b");
    make("/a/permits/leases");
    make("/a/permits/locks");
    add("/a/b/" + uuid('1') + "-lock-");
    add("/a/" + uuid('2') + "-lock-");
    add("/a/permits/leases/" + uuid('3') + "-lease-");
    const std::string a = path + "/a";
    BOOST_TEST((co_await other.find_locks(path, 0)).empty());
    requests_sent();
    auto all = co_await other.find_locks(path, 1);
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].path == a);
    BOOST_TEST(requests_sent() == "list=2 get=1");
    all = co_await other.find_locks(path, 2);
    BOOST_TEST_REQUIRE(all.size() == 3u);
    BOOST_TEST(all[1].path == a + "/b");
    BOOST_TEST(all[2].path == a + "/permits");
    // The kind of a lock.
    all = co_await other.find_locks(a + "/permits", 0);
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].type == lock_type::semaphore);
    BOOST_TEST((co_await other.find_locks(a + "/permits/locks", 0)).empty());
  });
}

BOOST_AUTO_TEST_CASE(root_itself_may_be_a_lock_or_missing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto missing = co_await other.find_locks(path + "/missing", as_result);
    BOOST_TEST((std::get<0>(missing) == errc::no_node));
    BOOST_TEST(requests_sent() == "list=1");
    add("/" + uuid('1') + "-lock-");
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].path == path);
  });
}

BOOST_AUTO_TEST_CASE(paths_are_relative_to_the_chroot) {
  make("/root/m");
  const auto entry = add("/root/m/" + uuid('1') + "-lock-");
  client below(io, named("below", shared_server().address() + path + "/root"));
  const std::vector<std::string> roots{"/", "/m"};
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto& root : roots) {
      const auto all = co_await below.find_locks(root);
      BOOST_TEST_REQUIRE(all.size() == 1u);
      BOOST_TEST(all[0].path == "/m");
      BOOST_TEST_REQUIRE(all[0].participants.size() == 1u);
      BOOST_TEST(all[0].participants[0].node == entry);
    }
    add("/root/" + uuid('2') + "-lock-");
    const auto all = co_await below.find_locks("/");
    BOOST_TEST(paths_of(all) == (std::vector<std::string>{"/", "/m"}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(whole_tree_is_searched_without_the_nodes_of_zookeeper) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/m");
    add("/m/" + uuid('1') + "-lock-");
    witness.create_all("/zookeeper/quota/used");
    witness.remove(witness.create("/zookeeper/quota/used/x"));
    const auto paths = paths_of(co_await find("/"));
    BOOST_TEST((std::find(paths.begin(), paths.end(), path + "/m") != paths.end()));
    for (const auto& each : paths)
      BOOST_TEST(!each.starts_with("/zookeeper"));
  });
}

BOOST_AUTO_TEST_CASE(node_that_may_not_be_read_is_named_and_the_search_goes_on) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    witness.create(path + "/closed", "", testing::create_mode::persistent,
                   {{4, "world", "anyone"}});
    make("/entries");
    const auto hidden =
        witness.create(path + "/entries/" + uuid('1') + "-lock-", "secret",
                       testing::create_mode::ephemeral_sequential, {{4, "world", "anyone"}});
    add("/entries/" + uuid('2') + "-lock-");
    make("/open");
    add("/open/" + uuid('3') + "-lock-");
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(paths_of(all) == (std::vector<std::string>{
                                            path + "/closed", path + "/entries", path + "/open"}),
                       boost::test_tools::per_element());
    BOOST_TEST((all[0].error == errc::no_permission));
    BOOST_TEST(all[0].type == lock_type::unknown);
    BOOST_TEST((all[1].error == errc::no_permission));
    BOOST_TEST_REQUIRE(all[1].participants.size() == 2u);
    BOOST_TEST(all[1].participants[0].node == hidden);
    BOOST_TEST(all[1].participants[0].is_holder);
    BOOST_TEST(all[1].participants[0].identity == "");
    BOOST_TEST(all[1].participants[1].identity == "another program");
    BOOST_TEST(!all[2].error);
  });
}

BOOST_AUTO_TEST_CASE(many_directories_are_listed_with_few_requests_at_a_time) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    constexpr int count = 1500;
    for (int i = 0; i < count; ++i)
      witness.create(path + "/d" + std::to_string(i));
    std::string deep;
    for (int i = 0; i < 300; ++i)
      deep += "/deep";
    make(deep);
    add(deep + '/' + uuid('1') + "-lock-");
    const outstanding_requests lists(door, testing::operation::get_children2);
    requests_sent();
    const auto all = co_await find();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].path == path + deep);
    BOOST_TEST(lists.most() > 1);
    BOOST_TEST(lists.most() <= 64);
    // The client may have checked its connection meanwhile.
    BOOST_TEST(requests_sent().starts_with("list=1801 get=1"));
  });
}

BOOST_AUTO_TEST_CASE(directory_deleted_during_the_search_is_left_out) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    make("/gone");
    const auto hook = after_first_list([this] { witness.remove(path + "/gone"); });
    BOOST_TEST((co_await find()).empty());
    BOOST_TEST(hook.fired());
    BOOST_TEST(requests_sent() == "list=2");
  });
}

BOOST_AUTO_TEST_CASE(entry_that_leaves_during_the_search_is_left_out) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = add("/" + uuid('1') + "-lock-");
    const auto second = add("/" + uuid('2') + "-lock-");
    const auto hook = after_first_list([&] { witness.remove(first); });
    const auto all = co_await find();
    BOOST_TEST(hook.fired());
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST_REQUIRE(all[0].participants.size() == 1u);
    BOOST_TEST(all[0].participants[0].node == second);
    BOOST_TEST(all[0].participants[0].is_holder);
  });
}

BOOST_AUTO_TEST_CASE(search_goes_on_after_a_lost_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    for (int i = 0; i < 5; ++i) {
      const auto name = "/m" + std::to_string(i);
      make(name);
      add(name + '/' + uuid('1') + "-lock-");
    }
    for (const auto kind : {testing::operation::get_children2, testing::operation::get_data}) {
      const auto hook = testing::relay_hooks(door).cut_before_reply(kind);
      const auto all = co_await find();
      BOOST_TEST(hook.fired());
      BOOST_TEST_REQUIRE(all.size() == 5u);
      for (const auto& each : all) {
        BOOST_TEST_REQUIRE(each.participants.size() == 1u);
        BOOST_TEST(each.participants[0].session_id == witness.session_id());
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(search_can_be_cancelled_and_ends_with_its_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    door.silence();
    pending<std::vector<found_lock>> searching;
    asio::cancellation_signal stop;
    other.find_locks(path, asio::bind_cancellation_slot(stop.slot(), searching.token()));
    stop.emit(asio::cancellation_type::total);
    BOOST_TEST(!searching.done());
    BOOST_TEST((std::get<0>(co_await searching.get()) == asio::error::operation_aborted));
    pending<std::vector<found_lock>> again;
    other.find_locks(path, again.token());
    other.close(asio::detached);
    BOOST_TEST((std::get<0>(co_await again.get()) == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(root_and_chroot_that_do_not_exist_are_errors) {
  const auto error_of = [](client& by, std::string root) -> asio::awaitable<error_code> {
    auto found = co_await by.find_locks(root, as_result);
    co_return std::get<0>(found);
  };
  run(io, [&]() -> asio::awaitable<void> {
    BOOST_TEST((co_await error_of(other, path + "/missing") == errc::no_node));
    BOOST_TEST(!co_await error_of(other, path));
    const auto chroot = path + "/chroot";
    client below(io, options_for(shared_server().address() + chroot));
    for (const auto* root : {"/", "/missing"})
      BOOST_TEST((co_await error_of(below, root) == errc::no_chroot));
    witness.create_all(chroot);
    BOOST_TEST((co_await error_of(below, "/missing") == errc::no_node));
    BOOST_TEST(!co_await error_of(below, "/"));
  });
}

BOOST_AUTO_TEST_CASE(lost_reply_about_the_chroot_is_asked_for_again) {
  run(io, [&]() -> asio::awaitable<void> {
    client below(io, named("below", door.address() + path));
    co_await below.find_locks("/");
    const auto hook = testing::relay_hooks(door).when(
        testing::direction::to_client,
        [first = true](const testing::frame& each) mutable {
          return each.kind == testing::operation::get_children2 && !std::exchange(first, false);
        },
        testing::reaction::cut_before);
    const auto found = co_await below.find_locks("/missing", as_result);
    BOOST_TEST((std::get<0>(found) == errc::no_node));
    BOOST_TEST(hook.fired());
  });
}

BOOST_AUTO_TEST_CASE(root_that_is_no_path_is_refused) {
  const std::vector<std::string> wrong{"", "locks", "/locks/", "/locks//m", "/locks/.."};
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto& root : wrong) {
      const auto [error, none] = co_await other.find_locks(root, as_result);
      BOOST_TEST((error == errc::bad_path));
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
