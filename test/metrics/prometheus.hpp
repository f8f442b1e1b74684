#pragma once

#include "metrics/files.hpp"
#include "support/run.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock::test {

/// A program of this machine that is scraped.
struct scrape_target {
  std::string job;
  std::uint16_t port;
};

/// A real Prometheus, with the alerts of the project. It scrapes four times a second.
class prometheus {
 public:
  prometheus(asio::io_context& io, const std::vector<scrape_target>& targets);

  /// Waits until it answers.
  asio::awaitable<void> ready();

  /// Returns `data` of an answer of the HTTP API. Throws if the answer is an error.
  asio::awaitable<json::value> get(std::string target);

  /// Returns the samples of an expression now. Throws if the expression is wrong.
  asio::awaitable<json::array> query(std::string expression);

  /// Returns the value of an expression with a single sample; nothing for any other number of
  /// samples.
  asio::awaitable<std::optional<double>> value(std::string expression);

  /// Waits until an expression with a single sample has a value.
  asio::awaitable<void> wait_for(std::string expression, double expected);

  /// Returns a text as a part of a URL.
  static std::string url_part(const std::string& text);

 private:
  void start();

  asio::io_context& io_;
  testing::temporary_directory folder_;
  std::uint16_t port_ = 0;
  std::optional<testing::child_process> process_;
};

} // namespace zklock::test
