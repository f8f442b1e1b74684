// Buyers, with the lock and without.

#include "browser/running_shop.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using zklock::test::running_shop;

BOOST_AUTO_TEST_SUITE(selling)

BOOST_AUTO_TEST_CASE(sale_reduces_the_stock) {
  running_shop shop({"--work", "10ms", "--session-timeout", "10s"});
  BOOST_TEST(shop.text("#left") == "20");
  BOOST_TEST(shop.text("#tickets") == "20");
  shop.click("#buy");
  shop.wait_for("#left", "19");
  shop.wait_for("#sold", "1");
  shop.wait_for_event("Buyer 1 got ticket 20 from server A.");
  BOOST_TEST(shop.text("#oversold") == "0");
}

BOOST_AUTO_TEST_CASE(nothing_is_oversold_with_the_lock) {
  running_shop shop({"--work", "20ms", "--session-timeout", "10s"});
  shop.click("#buy-100");
  shop.wait_for_event("Of 100 buyers, 20 got a ticket and 80 came too late.");
  shop.wait_for("#sold", "20");
  shop.wait_for("#waiting", "0");
  BOOST_TEST(shop.text("#left") == "0");
  BOOST_TEST(shop.text("#oversold") == "0");
}

// Each sale takes longer than 100 requests: all of them read the stock before the first writes it.
BOOST_AUTO_TEST_CASE(tickets_are_oversold_without_the_lock_until_it_is_on_again) {
  running_shop shop({"--work", "3000ms", "--session-timeout", "10s"});
  shop.click("#lock");
  shop.wait_for("#holder-name", "The lock is off");
  shop.click("#buy-100");
  shop.wait_for_event("The lock is off");
  shop.wait_for_true("document.querySelector('#oversold-box').classList.contains('bad')");
  shop.wait_for("#waiting", "0");
  BOOST_TEST(shop.number("#oversold") > 0);
  BOOST_TEST(shop.number("#oversold") == shop.number("#sold") - 20);
  BOOST_TEST(shop.text("#oversold-note").ends_with("updates were lost."));
  shop.wait_for_true("document.querySelector('#lock-note').hidden");

  shop.click("#lock");
  shop.wait_for("#holder-name", "The lock is free");
  shop.browser().type("#work", "50");
  shop.wait_for_true("document.querySelector('#work').value === '50'");
  shop.click("#restock");
  shop.wait_for("#left", "20");
  BOOST_TEST(shop.text("#oversold") == "0");
  shop.click("#buy-100");
  shop.wait_for_event("Of 100 buyers, 20 got a ticket and 80 came too late.");
  shop.wait_for("#sold", "20");
  BOOST_TEST(shop.text("#oversold") == "0");
}

BOOST_AUTO_TEST_CASE(queue_is_shown_in_the_order_of_tokens) {
  running_shop shop({"--work", "60s", "--session-timeout", "10s"});
  shop.click("#buy-100");
  shop.wait_for("#queue-count", "99 waiters");
  shop.wait_for("#waiting", "100");
  shop.wait_for("#more", "and 49 more");
  const long holder =
      shop.wait_for_holder(shop.browser()
                               .evaluate("document.querySelector('#holder').dataset.server")
                               .as_string()
                               .c_str());
  shop.wait_for_true("[...document.querySelectorAll('#line small')].every((each, at, all) => "
                     "at === 0 || Number(all[at - 1].textContent) < Number(each.textContent))");
  BOOST_TEST(shop.number("#line small") > holder);

  shop.click("#buy-100");
  shop.wait_for("#waiting", "200");
  shop.click("#buy");
  shop.wait_for("#problem", "Too many buyers are waiting. Let the servers serve them first.");
}

BOOST_AUTO_TEST_SUITE_END()
