#pragma once

#include "browser/web_driver.hpp"
#include "support/background.hpp"
#include "testing/child_process.hpp"

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

/// A run of the program `ticket_shop`, with its page in a browser.
class running_shop {
 public:
  explicit running_shop(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    start();
    browser().open(url_);
    wait_for("#connection", "Live");
  }

  /// Starts the program again after its end. The page stays as it is.
  void start_at_same_port() {
    const auto port = url_.substr(url_.rfind(':') + 1);
    arguments_.insert(arguments_.end(), {"--port", port.substr(0, port.find('/'))});
    start();
  }

  /// All tests share this browser.
  static web_driver& browser() {
    static web_driver one;
    return one;
  }

  testing::child_process& process() { return *process_; }

  /// Returns the address of the page.
  const std::string& url() const { return url_; }

  void click(const std::string& selector) { browser().click(selector); }
  std::string text(const std::string& selector) { return browser().text(selector); }
  long number(const std::string& selector) { return std::stol(text(selector)); }

  /// Waits until an element has this text.
  void wait_for(const std::string& selector, const std::string& expected,
                const std::source_location& where = std::source_location::current()) {
    wait_until([&] { return text(selector) == expected; }, 20s, where);
  }

  /// Waits until an expression of JavaScript is true.
  void wait_for_true(const std::string& expression,
                     const std::source_location& where = std::source_location::current()) {
    wait_until([&] { return browser().evaluate(expression) == true; }, 20s, where);
  }

  /// Waits until the page says that this happened.
  void wait_for_event(const std::string& text,
                      const std::source_location& where = std::source_location::current()) {
    wait_until([&] { return browser().text("#log").find(text) != std::string::npos; }, 20s, where);
  }

  /// Waits until this server holds the lock, and returns its fencing token.
  long wait_for_holder(const std::string& server,
                       const std::source_location& where = std::source_location::current()) {
    wait_for("#holder-name", "Server " + server + " holds the lock", where);
    const auto token = text("#holder-token");
    return std::stol(token.substr(token.rfind(' ')));
  }

 private:
  void start() {
    std::vector<std::string> command{SHOP};
    command.insert(command.end(), arguments_.begin(), arguments_.end());
    process_ = std::make_unique<testing::child_process>(
        testing::child_options{.command = std::move(command), .piped = true});
    const auto line = process_->read_line();
    url_ = line.substr(line.find("http://"));
  }

  std::vector<std::string> arguments_;
  std::unique_ptr<testing::child_process> process_;
  std::string url_;
};

} // namespace zklock::test
