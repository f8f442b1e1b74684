#pragma once

#include "examples/ticket_server/http_client.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace zklock::test {

/// A headless Chromium, driven through chromedriver by the WebDriver protocol. It has a profile of
/// its own. The destructor ends both programs.
///
/// Each function blocks for 30 seconds at most, and throws if it fails.
class web_driver {
 public:
  /// Starts chromedriver on a free port, and a browser.
  web_driver();
  ~web_driver();

  web_driver(const web_driver&) = delete;
  web_driver& operator=(const web_driver&) = delete;

  /// Loads a page, and waits until it is loaded.
  void open(const std::string& url);

  /// Clicks the element that a CSS selector names. Throws if it cannot be clicked.
  void click(const std::string& selector);

  /// Sends keys to an element, as a keyboard does.
  void type(const std::string& selector, const std::string& keys);

  /// Returns the value of a JavaScript expression.
  boost::json::value evaluate(const std::string& expression);

  /// Returns the text of an element.
  std::string text(const std::string& selector);

  /// Sets the size of the page in pixels, and whether the visitor prefers dark colours.
  void show_as(int width, int height, bool dark);

  /// Writes the page, as far as it is visible, to a PNG file.
  void save_picture(const std::string& file);

 private:
  boost::json::value send(boost::beast::http::verb method, const std::string& target,
                          const boost::json::value& body);
  boost::json::value send_to_session(const std::string& target, const boost::json::value& body);
  std::string element(const std::string& selector);
  void start_browser();

  /// Chromedriver and the browser.
  class process_group {
   public:
    explicit process_group(testing::child_process leader) : leader_(std::move(leader)) {}
    ~process_group() {
      leader_.close_input();
      leader_.wait_for_end(std::chrono::seconds(10));
    }
    process_group(const process_group&) = delete;
    process_group& operator=(const process_group&) = delete;

    testing::child_process& leader() { return leader_; }

   private:
    testing::child_process leader_;
  };

  testing::temporary_directory folder_;
  process_group process_;
  boost::asio::io_context io_;
  http_client connection_;
  std::string session_;
};

} // namespace zklock::test
