// The requests that the server of the page refuses, and the files that are left when it ends.

#include "browser/running_shop.hpp"
#include "examples/ticket_server/stock.hpp"

#include <boost/asio/use_future.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace test = zklock::test;
using test::running_shop;

namespace {

/// Sends requests to the server of a page.
class visitor {
 public:
  explicit visitor(const running_shop& shop)
      : port_(static_cast<std::uint16_t>(std::stoi(shop.url().substr(shop.url().rfind(':') + 1)))) {
  }

  /// Returns a request as the page sends it.
  http_request request(http::verb method, const std::string& target,
                       const std::string& body = "") const {
    http_request made(method, target, 11);
    made.set(http::field::host, host());
    made.set(http::field::origin, "http://" + host());
    made.set(http::field::content_type, "application/json");
    made.body() = body;
    return made;
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  /// Returns the status of the response.
  unsigned status(const http_request& request) {
    http_client connection(context_.io.get_executor(), port_, std::chrono::seconds(10));
    test::get(asio::co_spawn(context_.io, connection.open(), asio::use_future));
    return test::get(asio::co_spawn(context_.io, connection.send(request), asio::use_future))
        .result_int();
  }

 private:
  test::background context_;
  std::uint16_t port_;
};

/// Returns the processes that the threads of a process have started.
std::vector<pid_t> children_of(pid_t id) {
  std::vector<pid_t> all;
  const auto tasks = std::filesystem::path("/proc") / std::to_string(id) / "task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;)
      all.push_back(child);
  }
  return all;
}

bool has_ended(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  return !std::getline(file, text) || text.find(") Z ") != text.npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(requests)

BOOST_AUTO_TEST_CASE(wrong_requests_are_refused) {
  running_shop shop({"--work", "10ms"});
  visitor sender(shop);
  const std::string buy = R"({"action": "buy", "count": 1})";
  const auto post = [&](const std::string& body) {
    return sender.status(sender.request(http::verb::post, "/actions", body));
  };
  const auto get = [&](const std::string& target) {
    return sender.status(sender.request(http::verb::get, target));
  };
  BOOST_TEST(get("/style.css") == 200U);
  for (const char* target : {"/nothing", "/../main.cpp", "/page/index.html", "//", "/events/"})
    BOOST_TEST(get(target) == 404U, target);
  BOOST_TEST(get("/actions") == 405U);
  BOOST_TEST(sender.status(sender.request(http::verb::post, "/")) == 405U);
  BOOST_TEST(sender.status(sender.request(http::verb::delete_, "/events")) == 405U);
  for (const char* body :
       {"", "{", "[]", "{}", R"({"action": "sing"})", R"({"action": "buy"})",
        R"({"action": "buy", "count": 0})", R"({"action": "buy", "count": 101})",
        R"({"action": "buy", "count": "1"})", R"({"action": "kill", "server": "D"})",
        R"({"action": "work", "ms": -1})", R"({"action": "lock", "on": 1})"})
    BOOST_TEST(post(body) == 400U, body);
  BOOST_TEST(post(std::string(70'000, ' ')) == 413U);
  BOOST_TEST(post(R"({"action": "continue", "server": "A"})") == 409U);
  BOOST_TEST(post(R"({"action": "start", "server": "A"})") == 409U);

  auto crowded = sender.request(http::verb::get, "/");
  crowded.set("X-Filler", std::string(9'000, 'x'));
  BOOST_TEST(sender.status(crowded) == 431U);
  BOOST_TEST(shop.text("#sold") == "0");
  BOOST_TEST(post(buy) == 204U);
  shop.wait_for("#sold", "1");
}

BOOST_AUTO_TEST_CASE(other_origins_are_refused) {
  running_shop shop({"--work", "10ms"});
  visitor sender(shop);
  const auto buy = sender.request(http::verb::post, "/actions", R"({"action": "buy", "count": 1})");
  for (const char* origin : {"http://shop.example", "null", "http://127.0.0.1:1"}) {
    auto forged = buy;
    forged.set(http::field::origin, origin);
    BOOST_TEST(sender.status(forged) == 403U, origin);
  }
  for (const char* target : {"/", "/events", "/actions"}) {
    auto forged = sender.request(http::verb::get, target);
    forged.set(http::field::host, "shop.example");
    BOOST_TEST(sender.status(forged) == 403U, target);
  }
  // A form of another page can send this type without a question.
  auto form = buy;
  form.set(http::field::content_type, "text/plain");
  BOOST_TEST(sender.status(form) == 415U);
  shop.click("#buy");
  shop.wait_for_event("Buyer 1 got ticket 20");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_when_the_shop_is_killed) {
  running_shop shop({"--work", "60s"});
  shop.click("#buy");
  shop.wait_for_holder("A");
  const auto children = children_of(shop.process().id());
  BOOST_TEST(children.size() >= 4U);
  std::vector<std::filesystem::path> folders;
  for (const pid_t child : children) {
    std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
    for (std::string argument; std::getline(file, argument, '\0');)
      if (argument.ends_with("tickets.db"))
        folders.push_back(std::filesystem::path(argument).parent_path());
  }
  BOOST_TEST(folders.size() == 3U);

  shop.process().signal(SIGKILL);
  for (const pid_t child : children)
    test::wait_until([child] { return has_ended(child); });
  for (const auto& folder : folders)
    test::wait_until([&folder] { return !std::filesystem::exists(folder); });
}

BOOST_AUTO_TEST_CASE(late_sale_is_refused_by_the_database) {
  zklock::testing::temporary_directory folder;
  test::background context;
  stock tickets(folder.path() / "tickets.db", 5);
  const auto run = [&context](auto work) {
    return test::get(asio::co_spawn(context.io, std::move(work), asio::use_future));
  };
  const offer early = run(tickets.begin("1"));
  const offer later = run(tickets.begin("2"));
  BOOST_CHECK_THROW(run(tickets.record({early.stock, early.left, "1", "Ann"})), stale_token);
  BOOST_CHECK_THROW(run(tickets.begin("1")), stale_token);
  run(tickets.record({later.stock, later.left, "2", "Bob"}));
  BOOST_TEST(run(tickets.figures()).left == 4);
  BOOST_TEST(run(tickets.figures()).sold == 1);

  // A new stock does not forget the token; sales without a lock have none.
  run(tickets.renew(7));
  BOOST_CHECK_THROW(run(tickets.begin("1")), stale_token);
  const offer unlocked = run(tickets.begin(""));
  run(tickets.record({unlocked.stock, unlocked.left, "", "Cleo"}));
  BOOST_TEST(run(tickets.figures()).left == 6);
  BOOST_CHECK_THROW(run(tickets.begin("1")), stale_token);
}

BOOST_AUTO_TEST_SUITE_END()
