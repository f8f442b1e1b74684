// The lock is lost, or about to be, while the command runs.
#include <zklock/testing/relay.hpp>

#include "cli/command.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A run that comes through a relay of its own, and a second run that waits for it and tells
/// whether the command of the first run is still alive when it begins.
struct holder_and_waiter : observed_lock {
  testing::relay wire{shared_server().direct_address()};
  command holder;
  pid_t command_id;
  command waiter;

  explicit holder_and_waiter(std::vector<std::string> options = {})
      : holder(start_holder(std::move(options))),
        command_id(std::stoi(holder.read_line())),
        waiter(start_waiter()) {
    wait_for_entries(2);
  }

  /// Expects that the command of the holder is dead when the waiter's begins.
  void expect_no_overlap() {
    BOOST_TEST(waiter.read_line() == "dead");
    BOOST_TEST(waiter.wait() == 0);
  }

  void expect_loss_told() {
    BOOST_TEST(holder.tells_loss_of(path), holder.errors());
    BOOST_TEST(!holder.says("lost a lock"), holder.errors());
  }

 private:
  command start_holder(std::vector<std::string> options) {
    options.insert(options.end(), {path, "sh", "-c", stubborn()});
    return start_run(options, wire.address());
  }

  command start_waiter() {
    const auto stat = "/proc/" + std::to_string(command_id) + "/stat";
    return start_run({path, "sh", "-c",
                      "if grep -qsv ') Z ' " + stat + "; then echo alive; else echo dead; fi"});
  }
};

std::string number_of(const std::string& entry) {
  return entry.substr(entry.size() - 10);
}

} // namespace

BOOST_AUTO_TEST_SUITE(run_losing, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(command_is_dead_before_the_next_grant_when_the_network_is_silent) {
  holder_and_waiter both;
  both.wire.silence();
  BOOST_TEST(both.holder.read_line() == "term");
  both.expect_no_overlap();
  BOOST_TEST(both.holder.wait() == 75);
  BOOST_TEST(both.holder.says("the servers do not confirm the session"), both.holder.errors());
}

BOOST_AUTO_TEST_CASE(command_is_dead_before_the_next_grant_when_connections_are_refused) {
  holder_and_waiter both({"--kill-after", "1"});
  both.wire.refuse();
  both.expect_no_overlap();
  BOOST_TEST(both.holder.wait() == 75);
}

BOOST_AUTO_TEST_CASE(command_is_dead_before_the_next_grant_when_the_holding_process_is_stopped) {
  holder_and_waiter both;
  ::kill(both.holder.holder(), SIGSTOP);
  both.expect_no_overlap();
  BOOST_TEST(both.holder.wait() == 75);
  BOOST_TEST(both.holder.says("does not run; killing the command"), both.holder.errors());
}

BOOST_AUTO_TEST_CASE(lock_is_kept_while_the_process_in_front_is_stopped) {
  holder_and_waiter both;
  both.holder.process().halt();
  // The session is still confirmed, for longer than it would last.
  both.wire.reset_counts();
  wait_until([&] { return both.wire.requests(testing::operation::multi) >= 20; });
  BOOST_TEST(is_alive(both.command_id));
  BOOST_TEST(!both.waiter.process().has_ended());
  both.holder.process().signal(SIGCONT);
  both.holder.process().signal(SIGTERM);
  BOOST_TEST(both.holder.read_line() == "term");
}

BOOST_AUTO_TEST_CASE(command_is_killed_when_both_processes_wake_too_late) {
  holder_and_waiter both;
  const auto holding = both.holder.holder();
  both.holder.process().halt();
  ::kill(holding, SIGSTOP);
  // Nothing can end the command meanwhile.
  BOOST_TEST(both.waiter.read_line() == "alive");
  both.holder.process().signal(SIGCONT);
  BOOST_TEST(both.holder.wait() == 75);
  BOOST_TEST(!is_alive(both.command_id));
}

BOOST_AUTO_TEST_CASE(command_is_killed_at_once_when_the_session_has_expired) {
  holder_and_waiter both;
  const auto first = both.witness.children(both.path);
  const auto oldest = *std::ranges::min_element(first, {}, number_of);
  const auto owner = stat_of(both.witness, both.path + '/' + oldest).ephemeral_owner;
  BOOST_TEST(shared_server().expire(owner));
  BOOST_TEST(both.holder.wait() == 75);
  both.expect_loss_told();
  BOOST_TEST(!is_alive(both.command_id));
  BOOST_TEST(both.waiter.wait() == 0);
}

BOOST_AUTO_TEST_CASE(command_is_killed_at_once_when_the_entry_is_deleted) {
  holder_and_waiter both;
  const auto all = both.witness.children(both.path);
  both.witness.remove(both.path + '/' + *std::ranges::min_element(all, {}, number_of));
  BOOST_TEST(both.holder.wait() == 75);
  both.expect_loss_told();
  BOOST_TEST(!is_alive(both.command_id));
  BOOST_TEST(both.waiter.wait() == 0);
}

BOOST_AUTO_TEST_CASE(short_outage_does_not_end_the_command) {
  holder_and_waiter both;
  both.wire.cut();
  both.wire.reset_counts();
  wait_until([&] { return both.wire.requests(testing::operation::multi) >= 4; });
  BOOST_TEST(is_alive(both.command_id));
  BOOST_TEST(both.holder.errors().find("ending") == std::string::npos, both.holder.errors());
}

BOOST_AUTO_TEST_SUITE_END()
