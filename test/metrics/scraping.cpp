// The figures as a real Prometheus scrapes them, and what the dashboard and the alerts make of
// them.
#include "metrics/known_traffic.hpp"
#include "metrics/prometheus.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>

#include <set>

using namespace zklock;
using namespace zklock::test;

namespace {

/// The program of the example.
struct running_exporter {
  running_exporter() {
    const auto url = process.read_line();
    port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }

  testing::child_process process{
      {.command = {EXPORTER, "--servers", shared_server().direct_address()}, .piped = true}};
  std::uint16_t port = 0;
};

struct scraped_scene : known_traffic {
  running_exporter example;
  prometheus scraper{io, {{"known", exporter.port()}, {"example", example.port}}};

  /// Waits until the program of the example and this program, before its traffic, are scraped.
  asio::awaitable<void> both_scraped() {
    co_await scraper.ready();
    co_await scraper.wait_for(R"(zklock_client_acquired_total{job="known"} >= 0)", 0);
    co_await scraper.wait_for(R"(count(zklock_acquire_wait_seconds_count{job="example"} > 2))", 3);
  }

  /// Makes the traffic, and waits until its last event is scraped.
  asio::awaitable<void> make_traffic() {
    co_await known_traffic::run();
    co_await scraper.wait_for(
        R"(zklock_client_waiters{job="known"} and zklock_client_acquired_total{job="known"} == 9)",
        1);
  }

  asio::awaitable<void> expect(std::string name, std::string labels, double expected) {
    const auto expression = name + "{job=\"known\"" + labels + "}";
    const auto found = co_await scraper.value(expression);
    BOOST_TEST(found.has_value(), expression << " has no single sample");
    if (found) BOOST_TEST(*found == expected, expression << " is " << *found);
  }

  /// Checks the figure of a label, and the figure of the whole client.
  asio::awaitable<void> expect_both(std::string name, std::string labels, double of_orders,
                                    double of_all) {
    co_await expect("zklock_" + name, ",lock=\"orders\"" + labels, of_orders);
    co_await expect("zklock_client_" + name, labels, of_all);
  }
};

/// Replaces the variables of the dashboard.
std::string with_variables(std::string expression) {
  boost::replace_all(expression, "$__rate_interval", "1m");
  for (const char* variable : {"$job", "$instance", "$lock"})
    boost::replace_all(expression, variable, ".*");
  return expression;
}

/// The path in the API that answers a query of a variable, `label_values(METRIC, LABEL)`.
std::string path_of_variable(const std::string& query) {
  const auto open = query.find('('), comma = query.rfind(','), close = query.rfind(')');
  return "label/" + query.substr(comma + 2, close - comma - 2) + "/values?match[]=" +
         prometheus::url_part(with_variables(query.substr(open + 1, comma - open - 1)));
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(scraped_metrics, scraped_scene, *boost::unit_test::timeout(100))

BOOST_AUTO_TEST_CASE(prometheus_has_the_figures_of_all_events) {
  test::run(io, [this]() -> asio::awaitable<void> {
    co_await both_scraped();
    co_await make_traffic();

    co_await expect_both("acquired_total", "", 4, 9);
    co_await expect_both("busy_total", "", 3, 3);
    co_await expect_both("timeouts_total", "", 2, 2);
    co_await expect_both("cancelled_total", "", 1, 1);
    co_await expect_both("failed_total", "", 0, 1);
    co_await expect_both("reentered_total", "", 0, 0);
    co_await expect_both("handovers_total", "", 0, 1);
    co_await expect("zklock_handovers_total", ",lock=\"stock\"", 1);
    co_await expect_both("released_total", "", 1, 4);
    co_await expect_both("release_requests_total", "", 1, 1);
    co_await expect_both("holds", "", 1, 1);
    co_await expect_both("waiters", "", 1, 1);
    co_await expect_both("lost_total", ",reason=\"hold_limit_reached\"", 1, 1);
    co_await expect_both("lost_total", ",reason=\"session_expired\"", 1, 3);
    co_await expect_both("lost_total", ",reason=\"data_rolled_back\"", 0, 0);
    co_await expect_both("lost_total", ",reason=\"entry_deleted\"", 0, 0);
    co_await expect_both("lost_total", ",reason=\"closed\"", 0, 0);
    co_await expect_both("acquire_wait_seconds_count", "", 4, 9);
    co_await expect_both("acquire_wait_seconds_bucket", ",le=\"+Inf\"", 4, 9);
    co_await expect_both("hold_seconds_count", "", 3, 8);
    co_await expect("zklock_acquired_total", R"(,lock="a \"b\"\\\n\\xff")", 1);
    co_await expect("zklock_broken_total", "", 1);
    co_await expect("zklock_reconnects_total", "", 1);
    co_await expect("zklock_session_expiries_total", "", 1);
    co_await expect("zklock_data_rollbacks_total", "", 0);
    co_await expect("zklock_connected", "", 1);
    co_await expect("zklock_connection_state", ",state=\"connected\"", 1);
    co_await expect("zklock_connection_state", ",state=\"lost\"", 0);
    const auto margin = co_await scraper.value(R"(zklock_session_margin_seconds{job="known"})");
    BOOST_TEST((margin.value() > 0 && margin.value() <= 30));
    const auto requests = co_await scraper.value(R"(zklock_requests_total{job="known"})");
    BOOST_TEST(requests.value() > 20);
  });
}

BOOST_AUTO_TEST_CASE(dashboard_and_alerts_have_data) {
  test::run(io, [this]() -> asio::awaitable<void> {
    co_await both_scraped();
    co_await make_traffic();

    const auto board = dashboard();
    for (const auto& panel : board.at("panels").as_array()) {
      if (panel.at("type") == "row") continue;
      for (const auto& target : panel.at("targets").as_array()) {
        const auto expression = with_variables(string_of(target.at("expr")));
        const auto samples = co_await scraper.query(expression);
        BOOST_TEST(!samples.empty(), panel.at("title") << " has no data: " << expression);
      }
    }
    for (const auto& variable : board.at("templating").at("list").as_array()) {
      if (variable.at("type") != "query") continue;
      const auto found =
          co_await scraper.get(path_of_variable(string_of(variable.at("query").at("query"))));
      BOOST_TEST(!found.as_array().empty(), variable.at("name") << " has no values");
    }

    // As Prometheus has read them.
    const auto rules = co_await scraper.get("rules");
    std::set<std::string> with_data;
    for (const auto& rule : rules.at("groups").at(0).at("rules").as_array()) {
      const auto samples = co_await scraper.query(string_of(rule.at("query")));
      if (!samples.empty()) with_data.insert(string_of(rule.at("name")));
    }
    for (const char* name : {"ZklockLost", "ZklockSessionExpired", "ZklockTimeouts"})
      BOOST_TEST(with_data.contains(name), name << " has no data");
    BOOST_TEST(!with_data.contains("ZklockDisconnected"));
    co_await scraper.wait_for(R"(count(ALERTS{alertname="ZklockLost",alertstate="firing"}))", 2);
    co_await scraper.wait_for(R"(count(count by (alertname) (ALERTS{alertstate="firing"})))", 2);
  });
}

BOOST_AUTO_TEST_SUITE_END()
