// The HTTP of zklock::metrics::exporter.
#include <zklock/metrics/exporter.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace zklock;

namespace {

const tcp::endpoint any_port{asio::ip::address_v4::loopback(), 0};

/// An exporter on a thread of its own, and blocking connections to it.
struct scene {
  ~scene() {
    exporter.reset();
    work.reset();
    runner.join();
  }

  tcp::socket connect() {
    tcp::socket socket(client);
    socket.connect({any_port.address(), exporter->port()});
    return socket;
  }

  /// Returns what the exporter answers until it closes the connection.
  std::string ask(const std::string& text) {
    auto socket = connect();
    asio::write(socket, asio::buffer(text));
    std::string answer;
    boost::system::error_code ended;
    asio::read(socket, asio::dynamic_buffer(answer), ended);
    return answer;
  }

  std::string ask_for(const std::string& method, const std::string& target) {
    return ask(method + ' ' + target + " HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  }

  asio::io_context io{1};
  asio::io_context client;
  std::function<stats()> figures = [] { return stats{.requests = 7}; };
  std::optional<metrics::exporter> exporter{std::in_place, io, any_port,
                                            [this] { return figures(); }};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread runner{[this] { io.run(); }};
};

bool says(const std::string& answer, const std::string& part) {
  return answer.find(part) != answer.npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(metrics_exporter, scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(figures_are_served_at_one_path) {
  const auto answer = ask_for("GET", "/metrics");
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  BOOST_TEST(says(answer, "\nzklock_requests_total 7\n"));
  BOOST_TEST(says(ask_for("GET", "/metrics?x=1"), "\nzklock_requests_total 7\n"));
  BOOST_TEST(ask_for("GET", "/").starts_with("HTTP/1.1 404 "));
  BOOST_TEST(ask_for("GET", "/metrics/more").starts_with("HTTP/1.1 404 "));
}

BOOST_AUTO_TEST_CASE(head_has_no_body) {
  const auto answer = ask_for("HEAD", "/metrics");
  BOOST_TEST(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  BOOST_TEST(says(answer, "Content-Length: "));
  BOOST_TEST(!says(answer, "Content-Length: 0"));
  BOOST_TEST(answer.ends_with("\r\n\r\n"));
}

BOOST_AUTO_TEST_CASE(other_methods_are_refused) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const auto answer = ask_for(method, "/metrics");
    BOOST_TEST(answer.starts_with("HTTP/1.1 405 Method Not Allowed\r\n"));
    BOOST_TEST(says(answer, "\r\nAllow: GET, HEAD\r\n"));
  }
}

BOOST_AUTO_TEST_CASE(bad_requests_are_refused) {
  BOOST_TEST(ask("no http\r\n\r\n").starts_with("HTTP/1.1 400 "));
  BOOST_TEST(
      ask("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

BOOST_AUTO_TEST_CASE(connection_serves_several_requests) {
  auto socket = connect();
  const std::string text = "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n";
  std::string answers;
  for (int i = 1; i <= 2; ++i) {
    asio::write(socket, asio::buffer(text));
    asio::read_until(socket, asio::dynamic_buffer(answers), "HTTP/1.1 200 OK\r\n");
    BOOST_TEST(answers.starts_with("HTTP/1.1 200 OK\r\n"));
    // The last line, since there are no labels.
    const auto end = asio::read_until(socket, asio::dynamic_buffer(answers),
                                      "# TYPE zklock_hold_seconds histogram\n");
    answers.erase(0, end);
  }
}

BOOST_AUTO_TEST_CASE(exception_of_the_source_is_an_error_of_the_server) {
  figures = []() -> stats { throw std::runtime_error("no figures"); };
  BOOST_TEST(ask_for("GET", "/metrics").starts_with("HTTP/1.1 500 "));
}

BOOST_AUTO_TEST_CASE(taken_port_is_refused) {
  const tcp::endpoint taken(any_port.address(), exporter->port());
  BOOST_CHECK_THROW(metrics::exporter(io, taken, [] { return stats{}; }),
                    boost::system::system_error);
}

BOOST_AUTO_TEST_CASE(destructor_closes_connections_and_waits_for_the_source) {
  std::promise<void> entered, leave;
  std::atomic<bool> has_left = false;
  figures = [&] {
    entered.set_value();
    leave.get_future().wait();
    has_left = true;
    return stats{};
  };
  auto idle = connect();
  auto asking = std::async(std::launch::async, [this] { return ask_for("GET", "/metrics"); });
  entered.get_future().wait();
  auto destroyed = std::async(std::launch::async, [&] {
    exporter.reset();
    return has_left.load();
  });
  leave.set_value();
  BOOST_TEST(destroyed.get());
  asking.get();
  std::string nothing;
  boost::system::error_code ended;
  asio::read(idle, asio::dynamic_buffer(nothing), ended);
  BOOST_TEST(ended.failed());
}

BOOST_AUTO_TEST_SUITE_END()
