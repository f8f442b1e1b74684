// The text that zklock::metrics serves, without a server.
#include <zklock/metrics/prometheus_text.hpp>

#include "metrics/files.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using zklock::metrics::prometheus_text;
using namespace zklock::test;

namespace {

stats figures() {
  stats all{
      .broken = 2, .requests = 70, .reconnects = 3, .session_expiries = 1, .data_rollbacks = 8};
  all.state = connection_state::reconnected;
  all.margin = std::chrono::milliseconds(12'500);
  all.total.acquired = 9;
  all.total.lost.hold_limit_reached = 4;
  all.total.lost.data_rolled_back = 7;
  auto& orders = all.by_label["orders"];
  orders.acquired = 5;
  orders.waiters = 6;
  orders.waited = {.count = 5, .sum = std::chrono::duration<double>(2000.25)};
  orders.waited.buckets[0] = 1;
  orders.waited.buckets[7] = 3;
  orders.waited.buckets.back() = 1;
  return all;
}

bool has_line(const std::string& text, const std::string& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

stats labelled(const std::string& label) {
  stats all;
  all.by_label[label].holds = 1;
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(prometheus_text_of_stats, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(each_figure_has_a_sample) {
  const auto text = prometheus_text(figures());
  BOOST_TEST(has_line(text, "zklock_build_info{version=\"" ZKLOCK_VERSION "\"} 1"));
  BOOST_TEST(has_line(text, "zklock_broken_total 2"));
  BOOST_TEST(has_line(text, "zklock_requests_total 70"));
  BOOST_TEST(has_line(text, "zklock_reconnects_total 3"));
  BOOST_TEST(has_line(text, "zklock_session_expiries_total 1"));
  BOOST_TEST(has_line(text, "zklock_data_rollbacks_total 8"));
  BOOST_TEST(has_line(text, "zklock_session_margin_seconds 12.5"));
  BOOST_TEST(has_line(text, "zklock_connected 1"));
  BOOST_TEST(has_line(text, R"(zklock_connection_state{state="reconnected"} 1)"));
  BOOST_TEST(has_line(text, R"(zklock_connection_state{state="connected"} 0)"));
  BOOST_TEST(has_line(text, "zklock_client_acquired_total 9"));
  BOOST_TEST(has_line(text, R"(zklock_client_lost_total{reason="hold_limit_reached"} 4)"));
  BOOST_TEST(has_line(text, R"(zklock_client_lost_total{reason="data_rolled_back"} 7)"));
  BOOST_TEST(has_line(text, R"(zklock_acquired_total{lock="orders"} 5)"));
  BOOST_TEST(has_line(text, R"(zklock_waiters{lock="orders"} 6)"));
  BOOST_TEST(has_line(text, R"(zklock_lost_total{lock="orders",reason="closed"} 0)"));
}

BOOST_AUTO_TEST_CASE(certificates_have_samples_with_tls_only) {
  const auto expiry = std::chrono::system_clock::now() - std::chrono::hours(1);
  const std::string name = "zklock_certificate_seconds_left";
  BOOST_TEST(prometheus_text(figures()).find(name) == std::string::npos);
  auto all = figures();
  all.tls = tls_stats{.server_expiry = expiry};
  BOOST_TEST(prometheus_text(all).find(name + R"({of="server"} -36)") != std::string::npos);
  BOOST_TEST(prometheus_text(all).find(R"({of="client"})") == std::string::npos);
  all.tls->client_expiry = expiry;
  BOOST_TEST(prometheus_text(all).find(name + R"({of="client"} -36)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(client_is_connected_in_two_states_only) {
  for (const auto state : {connection_state::connecting, connection_state::suspended,
                           connection_state::lost, connection_state::closed})
    BOOST_TEST(has_line(prometheus_text({.state = state}), "zklock_connected 0"));
  BOOST_TEST(
      has_line(prometheus_text({.state = connection_state::connected}), "zklock_connected 1"));
}

BOOST_AUTO_TEST_CASE(buckets_are_cumulative) {
  const auto text = prometheus_text(figures());
  const std::string bucket = R"(zklock_acquire_wait_seconds_bucket{lock="orders",le=)";
  BOOST_TEST(has_line(text, bucket + R"("0.001"} 1)"));
  BOOST_TEST(has_line(text, bucket + R"("0.25"} 1)"));
  BOOST_TEST(has_line(text, bucket + R"("0.5"} 4)"));
  BOOST_TEST(has_line(text, bucket + R"("1800"} 4)"));
  BOOST_TEST(has_line(text, bucket + R"("+Inf"} 5)"));
  BOOST_TEST(has_line(text, R"(zklock_acquire_wait_seconds_sum{lock="orders"} 2000.25)"));
  BOOST_TEST(has_line(text, R"(zklock_acquire_wait_seconds_count{lock="orders"} 5)"));
}

BOOST_AUTO_TEST_CASE(labels_are_escaped) {
  const auto written = [](const std::string& label, const std::string& escaped) {
    return has_line(prometheus_text(labelled(label)), "zklock_holds{lock=\"" + escaped + "\"} 1");
  };
  BOOST_TEST(written(R"(a "b")", R"(a \"b\")"));
  BOOST_TEST(written(R"(C:\x)", R"(C:\\x)"));
  BOOST_TEST(written("two\nlines", R"(two\nlines)"));
  BOOST_TEST(written("été 東 \U0001F512", "été 東 \U0001F512"));
  // No UTF-8: a lone byte, a cut or overlong character, a surrogate, a character beyond the end.
  BOOST_TEST(written("\xFF!", R"(\\xff!)"));
  BOOST_TEST(written("\xE6\x9D", R"(\\xe6\\x9d)"));
  BOOST_TEST(written("\xC0\x80", R"(\\xc0\\x80)"));
  BOOST_TEST(written("\xED\xA0\x80", R"(\\xed\\xa0\\x80)"));
  BOOST_TEST(written("\xF4\x90\x80\x80", R"(\\xf4\\x90\\x80\\x80)"));
}

BOOST_AUTO_TEST_CASE(each_name_is_introduced_once) {
  stats two = figures();
  two.by_label["stock"] = {};
  const auto text = prometheus_text(two);
  BOOST_TEST(count_of(text, "# TYPE zklock_acquired_total counter\n") == 1u);
  BOOST_TEST(count_of(text, "# HELP zklock_acquired_total ") == 1u);
  BOOST_TEST(count_of(text, "# TYPE zklock_hold_seconds histogram\n") == 1u);
  BOOST_TEST(count_of(text, "# TYPE zklock_waiters gauge\n") == 1u);
}

BOOST_AUTO_TEST_CASE(promtool_has_nothing_to_say) {
  for (const auto& all : {figures(), labelled("\"\\\n\xFF"), stats{}}) {
    const auto checked =
        run_tool({"sh", "-c", PROMTOOL " check metrics < input"}, prometheus_text(all));
    BOOST_TEST(checked.status == 0);
    BOOST_TEST(checked.output == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
