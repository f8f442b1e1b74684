#include "browser/web_driver.hpp"

#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace zklock::test {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

// The name of an element's id in the protocol.
constexpr const char* element_key = "element-6066-11e4-a52e-4f735466cecf";

// The shell ends its process group, which the browser is in, when this program ends for any reason:
// chromedriver alone would leave the browser running.
testing::child_process start_driver(const testing::temporary_directory& folder) {
  const char* const script =
      "TMPDIR=$1 chromedriver --port=0 < /dev/null & read -r ignored; kill -KILL 0";
  return testing::child_process({.command = {"sh", "-c", script, "sh", folder.path()},
                                 .piped = true,
                                 .log = folder.path() / "chromedriver.log",
                                 .kept_open = folder.lifeline(),
                                 .dies_with_parent = false});
}

std::uint16_t port_of(testing::child_process& driver) {
  const std::string announcement = "started successfully on port ";
  for (;;) {
    const auto line = driver.read_line(30s);
    if (const auto at = line.find(announcement); at != line.npos)
      return static_cast<std::uint16_t>(std::stoi(line.substr(at + announcement.size())));
  }
}

json::value capabilities(const std::string& profile) {
  const json::array arguments{"--headless",
                              "--no-sandbox",
                              "--disable-gpu",
                              "--disable-quic",
                              "--no-first-run",
                              "--disable-background-networking",
                              "--disable-component-update",
                              "--disable-sync",
                              "--disable-dev-shm-usage",
                              "--user-data-dir=" + profile};
  const json::object options{{"args", arguments}, {"binary", "/usr/bin/chromium"}};
  return {{"capabilities", {{"alwaysMatch", {{"goog:chromeOptions", options}}}}}};
}

} // namespace

web_driver::web_driver()
    : process_(start_driver(folder_)),
      connection_(io_.get_executor(), port_of(process_.leader()), 30s) {
  start_browser();
}

web_driver::~web_driver() {
  try {
    send(http::verb::delete_, "/session/" + session_, json::object());
  } catch (const std::exception&) {
    // The browser is killed instead.
  }
}

void web_driver::start_browser() {
  io_.restart();
  asio::co_spawn(io_, connection_.open(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io_.run();
  const auto profile = (folder_.path() / "profile").string();
  const auto started = send(http::verb::post, "/session", capabilities(profile));
  session_ = json::value_to<std::string>(started.at("sessionId"));
}

json::value web_driver::send(http::verb method, const std::string& target,
                             const json::value& body) {
  http_response response;
  auto done = [&response](std::exception_ptr failure, http_response got) {
    if (failure) std::rethrow_exception(failure);
    response = std::move(got);
  };
  io_.restart();
  asio::co_spawn(io_, connection_.send(method, target, json::serialize(body)), done);
  io_.run();
  const auto value = json::parse(response.body()).at("value");
  if (response.result() == http::status::ok) return value;
  throw std::runtime_error(json::value_to<std::string>(value.at("message")));
}

json::value web_driver::send_to_session(const std::string& target, const json::value& body) {
  return send(http::verb::post, "/session/" + session_ + target, body);
}

std::string web_driver::element(const std::string& selector) {
  const auto found = send_to_session("/element", {{"using", "css selector"}, {"value", selector}});
  return json::value_to<std::string>(found.at(element_key));
}

void web_driver::open(const std::string& url) {
  send_to_session("/url", {{"url", url}});
}

void web_driver::click(const std::string& selector) {
  send_to_session("/element/" + element(selector) + "/click", json::object());
}

void web_driver::type(const std::string& selector, const std::string& keys) {
  send_to_session("/element/" + element(selector) + "/value", {{"text", keys}});
}

json::value web_driver::evaluate(const std::string& expression) {
  return send_to_session("/execute/sync",
                         {{"script", "return " + expression + ";"}, {"args", json::array()}});
}

std::string web_driver::text(const std::string& selector) {
  const auto quoted = json::serialize(json::value(selector));
  const auto value = evaluate("document.querySelector(" + quoted + ")?.textContent ?? ''");
  return json::value_to<std::string>(value);
}

void web_driver::show_as(int width, int height, bool dark) {
  const auto command = [this](const char* name, json::object parameters) {
    send_to_session("/goog/cdp/execute", {{"cmd", name}, {"params", std::move(parameters)}});
  };
  command(
      "Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 600}});
  const json::object colours{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
  command("Emulation.setEmulatedMedia", {{"features", json::array{colours}}});
}

void web_driver::save_picture(const std::string& file) {
  using namespace boost::archive::iterators;
  using bytes = transform_width<binary_from_base64<std::string::const_iterator>, 8, 6>;
  const json::object parameters{{"cmd", "Page.captureScreenshot"},
                                {"params", {{"captureBeyondViewport", true}}}};
  auto encoded =
      json::value_to<std::string>(send_to_session("/goog/cdp/execute", parameters).at("data"));
  // Padding decodes to zeros, which a reader of PNG files ignores after the end of the picture.
  for (auto& each : encoded)
    if (each == '=') each = 'A';
  std::ofstream out(file, std::ios::binary);
  std::copy(bytes(encoded.cbegin()), bytes(encoded.cend()), std::ostreambuf_iterator<char>(out));
  if (!out) throw std::runtime_error("cannot write " + file);
}

} // namespace zklock::test
