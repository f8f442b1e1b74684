// Pictures of the page, on request: SHOP_PICTURES=FOLDER build/dev/test/browser/test_shop
// --run_test=pictures

#include "browser/running_shop.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

using zklock::test::running_shop;

namespace {

boost::test_tools::assertion_result asked_for(boost::unit_test::test_unit_id) {
  return std::getenv("SHOP_PICTURES") != nullptr;
}

} // namespace

BOOST_AUTO_TEST_CASE(pictures, *boost::unit_test::precondition(asked_for)) {
  const std::string folder = std::getenv("SHOP_PICTURES");
  const auto save = [&folder](const std::string& name) {
    auto& browser = running_shop::browser();
    for (const bool dark : {false, true}) {
      const std::string file = folder + '/' + name + (dark ? "_dark" : "");
      browser.show_as(1280, 800, dark);
      browser.save_picture(file + "_wide.png");
      browser.show_as(400, 800, dark);
      browser.save_picture(file + "_narrow.png");
    }
    browser.show_as(1280, 800, false);
  };

  running_shop shop({"--work", "300ms", "--tickets", "60"});
  save("open");
  shop.click("#buy-100");
  shop.wait_for_true("Number(document.querySelector('#sold').textContent) > 4");
  shop.wait_for_holder("C");
  shop.click("#server-C .pause");
  shop.wait_for("#holder-note", "but it is paused: its session runs out.");
  save("paused");
  shop.wait_for_event("with the higher token");
  shop.click("#server-B .kill");
  shop.wait_for("#server-B .state", "dead");
  save("killed");
  shop.click("#lock");
  shop.click("#buy-100");
  shop.wait_for_true("Number(document.querySelector('#oversold').textContent) > 0");
  save("oversold");
}
