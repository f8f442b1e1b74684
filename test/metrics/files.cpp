// The alerts and the dashboard as files.
#include "metrics/files.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

using namespace zklock::test;

namespace {

const std::string rules = SOURCE "/share/prometheus/zklock.rules.yml";

/// The anchors that GitHub gives to the headings of a page.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) continue;
    std::string anchor;
    for (const char each : line.substr(line.find(' ') + 1))
      if (each == ' ')
        anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(each)))
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    found.insert(anchor);
  }
  return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(metrics_files, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(rules_are_valid) {
  const auto checked = run_tool({PROMTOOL, "check", "rules", rules});
  BOOST_TEST(checked.status == 0, checked.output);
}

BOOST_AUTO_TEST_CASE(each_alert_fires_in_its_situation_only) {
  const auto tested = run_tool({PROMTOOL, "test", "rules", SOURCE "/test/metrics/rules.test.yml"});
  BOOST_TEST(tested.status == 0, tested.output);
}

BOOST_AUTO_TEST_CASE(each_alert_is_tested_and_has_a_runbook_and_a_row_in_the_guide) {
  const auto text = file_contents(rules);
  const auto tests = file_contents("test/metrics/rules.test.yml");
  const auto guide = file_contents("doc/guide/metrics.md");
  const auto sections = anchors(file_contents("doc/guide/operating.md"));
  const std::regex alert(
      R"(- alert: (\w+)\n(?:.*\n)*?\s+runbook_url: https://\S+/doc/guide/operating\.md#(.+)\n)");
  std::size_t count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), alert), end; at != end; ++at, ++count) {
    const auto name = (*at)[1].str();
    const auto fires = "alertname: " + name + "\n        exp_alerts:\n";
    BOOST_TEST(tests.find(fires) != tests.npos, name << " is not tested");
    BOOST_TEST(guide.find('`' + name + '`') != guide.npos, name << " is not in the guide");
    BOOST_TEST(sections.contains((*at)[2]), "no section " << (*at)[2]);
  }
  BOOST_TEST(count == 9u);
}

BOOST_AUTO_TEST_CASE(panels_have_ids_and_places_of_their_own) {
  std::set<std::int64_t> ids;
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  const auto all = dashboard();
  for (const auto& panel : all.at("panels").as_array()) {
    BOOST_TEST(ids.insert(panel.at("id").as_int64()).second);
    const auto& place = panel.at("gridPos");
    const auto left = place.at("x").as_int64(), top = place.at("y").as_int64();
    BOOST_TEST(left + place.at("w").as_int64() <= 24);
    for (auto x = left; x < left + place.at("w").as_int64(); ++x)
      for (auto y = top; y < top + place.at("h").as_int64(); ++y)
        BOOST_TEST(taken.insert({x, y}).second, panel.at("title") << " covers another panel");
  }
}

BOOST_AUTO_TEST_CASE(import_asks_for_the_data_source) {
  const auto all = dashboard();
  const auto input = string_of(all.at("__inputs").at(0).at("name"));
  const auto& variable = all.at("templating").at("list").at(0);
  BOOST_TEST(string_of(variable.at("current").at("value")) == "${" + input + "}");
  const auto source = "${" + string_of(variable.at("name")) + "}";
  for (const auto& panel : all.at("panels").as_array())
    if (const auto* found = panel.as_object().if_contains("datasource"))
      BOOST_TEST(string_of(found->at("uid")) == source);
}

BOOST_AUTO_TEST_SUITE_END()
