#include "metrics/prometheus.hpp"

#include "examples/ticket_server/http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>

#include <fstream>
#include <stdexcept>

namespace zklock::test {

namespace {

using asio::ip::tcp;

std::uint16_t free_port(asio::io_context& io) {
  return tcp::acceptor(io, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

} // namespace

prometheus::prometheus(asio::io_context& io, const std::vector<scrape_target>& targets) : io_(io) {
  std::ofstream file(folder_.path() / "prometheus.yml");
  file << "global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms}\n"
       << "rule_files: [" SOURCE "/share/prometheus/zklock.rules.yml]\n"
       << "scrape_configs:\n";
  for (const auto& each : targets)
    file << "  - job_name: " << each.job
         << "\n    static_configs: [targets: ['127.0.0.1:" << each.port << "']]\n";
  file.close();
  start();
}

void prometheus::start() {
  port_ = free_port(io_);
  process_.emplace(testing::child_options{
      .command = {PROMETHEUS, "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                  "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
      .folder = folder_.path(),
      .log = folder_.path() / "log",
      .kept_open = folder_.lifeline()});
}

asio::awaitable<void> prometheus::ready() {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  asio::steady_timer pause(io_);
  for (int starts = 1;;) {
    // Another program may have taken the port meanwhile.
    if (process_->has_ended() && ++starts <= 3) start();
    if (process_->has_ended() || std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("no Prometheus: " + file_contents(folder_.path() / "log"));
    try {
      co_await get("status/runtimeinfo");
      co_return;
    } catch (const boost::system::system_error&) {
      // It does not listen yet, or refuses requests while it starts.
    }
    pause.expires_after(20ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<json::value> prometheus::get(std::string target) {
  http_client connection(io_.get_executor(), port_, 10s);
  co_await connection.open();
  http_request request(boost::beast::http::verb::get, "/api/v1/" + target, 11);
  request.set(boost::beast::http::field::host, "127.0.0.1");
  const auto response = co_await connection.send(request);
  // Throws boost::system::system_error if this is no JSON.
  auto answer = json::parse(response.body());
  if (answer.at("status") != "success")
    throw std::runtime_error(target + ": " + json::serialize(answer));
  co_return answer.at("data");
}

asio::awaitable<json::array> prometheus::query(std::string expression) {
  const auto data = co_await get("query?query=" + url_part(expression));
  co_return data.at("result").as_array();
}

asio::awaitable<std::optional<double>> prometheus::value(std::string expression) {
  const auto samples = co_await query(expression);
  if (samples.size() != 1) co_return std::nullopt;
  co_return std::stod(string_of(samples[0].at("value").at(1)));
}

asio::awaitable<void> prometheus::wait_for(std::string expression, double expected) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  asio::steady_timer pause(io_);
  for (;;) {
    const auto found = co_await value(expression);
    if (found == expected) co_return;
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error(expression + " is " +
                               (found ? std::to_string(*found) : "no single sample") + ", not " +
                               std::to_string(expected));
    pause.expires_after(50ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

std::string prometheus::url_part(const std::string& text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    result += {'%', digits[byte / 16], digits[byte % 16]};
  }
  return result;
}

} // namespace zklock::test
