// Holders that are killed or paused, or whose session expires. A sale takes a minute here: the
// first holder holds until it is lost.

#include "browser/running_shop.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using zklock::test::running_shop;

namespace {

/// A shop where server A holds the lock, and B and C wait in this order.
struct waiting_shop : running_shop {
  waiting_shop() : running_shop({"--work", "60s"}) {
    click("#buy");
    token = wait_for_holder("A");
    click("#buy");
    wait_for_waiters("B");
    click("#buy");
    wait_for_waiters("BC");
  }

  void wait_for_waiters(const std::string& servers) {
    wait_for_true("[...document.querySelectorAll('#line li')]"
                  ".map((each) => each.dataset.server).join('') === '" +
                  servers + "'");
  }

  long token = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(losing)

BOOST_AUTO_TEST_CASE(killed_holder_is_replaced_by_the_next_waiter) {
  waiting_shop shop;
  shop.click("#server-A .kill");
  shop.wait_for("#server-A .state", "dead");
  shop.wait_for_event("Buyer 1 got no answer: the server was killed.");
  const long next = shop.wait_for_holder("B");
  BOOST_TEST(next > shop.token);
  shop.wait_for_event("The lock went from server A (token " + std::to_string(shop.token) +
                      ") to server B with the higher token " + std::to_string(next));

  shop.wait_for("#server-A .kill", "Start again");
  shop.click("#server-A .kill");
  shop.wait_for("#server-A .state", "running");
  shop.wait_for_true("document.querySelector('#server-A .session').textContent.length > 12");
}

BOOST_AUTO_TEST_CASE(paused_holder_is_replaced_and_does_not_sell_later) {
  waiting_shop shop;
  shop.click("#server-A .pause");
  shop.wait_for("#server-A .state", "paused");
  BOOST_TEST(shop.wait_for_holder("B") > shop.token);
  shop.wait_for_event("with the higher token");

  shop.wait_for("#server-A .pause", "Continue");
  shop.click("#server-A .pause");
  shop.wait_for("#server-A .state", "running");
  shop.wait_for_event("Server A was too late: ");
  shop.wait_for_event("Buyer 1 got no ticket.");
  BOOST_TEST(shop.text("#sold") == "0");
}

BOOST_AUTO_TEST_CASE(holder_with_expired_session_is_replaced) {
  waiting_shop shop;
  const auto session = shop.text("#server-A .session");
  shop.click("#server-A .expire");
  shop.wait_for_event("ZooKeeper has expired the session of server A.");
  BOOST_TEST(shop.wait_for_holder("B") > shop.token);
  shop.wait_for_event("Server A was too late: the ZooKeeper session expired");
  shop.wait_for_true("!['No session', '" + session +
                     "'].includes(document.querySelector('#server-A .session').textContent)");
}

// The page shows the actions of a visitor in a terminal as it shows those of its buttons.
BOOST_AUTO_TEST_CASE(signals_from_outside_are_seen) {
  running_shop shop({});
  const auto text = shop.text("#server-C .process");
  const auto id = static_cast<pid_t>(std::stoi(text.substr(text.rfind(' '))));
  ::kill(id, SIGSTOP);
  shop.wait_for("#server-C .state", "paused");
  ::kill(id, SIGCONT);
  shop.wait_for("#server-C .state", "running");
  ::kill(id, SIGKILL);
  shop.wait_for("#server-C .state", "dead");
}

BOOST_AUTO_TEST_SUITE_END()
