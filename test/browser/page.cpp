// The page itself: the keyboard, interrupted connections, and texts of other clients.

#include "browser/running_shop.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

using zklock::test::running_shop;
namespace test = zklock::test;

BOOST_AUTO_TEST_SUITE(page)

BOOST_AUTO_TEST_CASE(keyboard_reaches_every_control) {
  running_shop shop({"--work", "10ms"});
  auto& browser = shop.browser();
  browser.type("#buy", "\uE007"); // Enter
  shop.wait_for("#sold", "1");
  browser.type("#lock", " ");
  shop.wait_for("#holder-name", "The lock is off");
  // The focus stays where it is while the page changes.
  BOOST_TEST(browser.evaluate("document.activeElement.id") == "lock");
  const auto reachable = "[...document.querySelectorAll('button, input, select')].every("
                         "(each) => each.tabIndex === 0 && (each.textContent.trim() || "
                         "each.labels.length > 0))";
  BOOST_TEST(browser.evaluate(reachable) == true);
}

BOOST_AUTO_TEST_CASE(page_says_that_the_shop_has_gone_and_connects_again) {
  running_shop shop({"--work", "10ms"});
  shop.click("#buy");
  shop.wait_for("#sold", "1");
  BOOST_TEST(shop.process().stop() == 0);
  shop.wait_for("#connection", "Connection interrupted. Trying again…");
  shop.click("#buy");
  shop.wait_for("#problem", "The shop does not answer. Is the program still running?");

  shop.start_at_same_port();
  shop.wait_for("#connection", "Live");
  shop.wait_for("#sold", "0");
  shop.click("#buy");
  shop.wait_for("#sold", "1");
  shop.wait_for("#problem", "");
}

BOOST_AUTO_TEST_CASE(servers_of_others_are_not_told_to_expire_sessions) {
  zklock::testing::server zookeeper;
  zklock::testing::raw_client foreign(zookeeper.direct_address());
  const std::string lock = "/locks/tickets";
  foreign.create_all(lock);
  running_shop shop({"--servers", zookeeper.direct_address(), "--session-timeout", "5s"});
  BOOST_TEST(shop.browser().evaluate("document.querySelector('#no-expire').hidden") == false);
  shop.wait_for_true("document.querySelectorAll('.expire:disabled').length === 3");

  // Another program in the queue, whose data is no text but markup.
  foreign.create(lock + "/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-", "<b>bold</b>",
                 zklock::testing::create_mode::ephemeral_sequential);
  shop.wait_for("#holder-name", "Another program (<b>bold</b>) holds the lock");
  BOOST_TEST(shop.browser().evaluate("document.querySelectorAll('b b, #holder b').length") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
