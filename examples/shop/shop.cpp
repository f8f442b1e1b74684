#include "shop.hpp"

#include "identity.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr auto names = {"A", "B", "C"};

asio::awaitable<bool> expire(zklock::testing::server& zookeeper, std::int64_t session) {
  co_return zookeeper.expire(session);
}

} // namespace

shop::shop(asio::any_io_executor executor, parts chosen, const zklock::client& client)
    : executor_(std::move(executor)),
      chosen_(std::move(chosen)),
      tickets_(chosen_.database, chosen_.tickets),
      customers_(executor_, log_),
      queue_(client, [this](const auto& before) { on_holder_changed(before); }) {
  for (const auto* name : names) {
    auto command = chosen_.server_command;
    command.insert(command.end(), {"--name", identity_of(name)});
    servers_.emplace_back(name, std::move(command), chosen_.lifeline);
  }
  log_.add("The shop is open: three servers, one database, one lock.");
}

asio::awaitable<void> shop::run() {
  for (auto& server : servers_)
    asio::co_spawn(executor_, server.watch_session(), asio::detached);
  asio::co_spawn(executor_, queue_.run(), asio::detached);
  asio::steady_timer pause(executor_);
  for (;;) {
    co_await refresh();
    pause.expires_after(50ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> shop::act(json::object request) {
  const auto action = json::value_to<std::string>(request.at("action"));
  if (action == "buy") {
    buy(request.at("count").as_int64());
  } else if (action == "lock") {
    with_lock_ = request.at("on").as_bool();
    log_.add(with_lock_ ? "The lock is on: one sale at a time."
                        : "The lock is off: servers sell at the same time.");
  } else if (action == "work") {
    set_work(request.at("ms").as_int64());
  } else if (action == "restock") {
    co_await tickets_.renew(chosen_.tickets);
    log_.add("A new stock of " + std::to_string(chosen_.tickets) + " tickets.");
  } else {
    auto& server = find_server(json::value_to<std::string>(request.at("server")));
    if (action == "expire")
      co_await expire_session(server);
    else
      act_on_server(action, server);
  }
}

void shop::buy(std::int64_t count) {
  if (count < 1 || count > 100) throw std::invalid_argument("count is from 1 to 100");
  if (customers_.waiting() + static_cast<std::size_t>(count) > customers::most_waiting)
    throw refused_action("Too many buyers are waiting. Let the servers serve them first.");
  std::vector<server_process*> open;
  for (auto& server : servers_)
    if (server.state() == server_state::running) open.push_back(&server);
  if (open.empty()) throw refused_action("No server is running. Continue or start one.");
  customers_.send(static_cast<std::size_t>(count), open,
                  {{"lock", with_lock_}, {"work_ms", chosen_.work.count()}});
}

void shop::set_work(std::int64_t milliseconds) {
  if (milliseconds < 0 || milliseconds > 60'000)
    throw std::invalid_argument("ms is from 0 to 60000");
  chosen_.work = std::chrono::milliseconds(milliseconds);
}

void shop::act_on_server(const std::string& action, server_process& server) {
  const auto require = [&server](server_state state) {
    if (server.state() != state)
      throw refused_action("Server " + server.name() + " is not in the state for this.");
  };
  const auto log = [this, &server](const char* text) {
    log_.add("Server " + server.name() + ' ' + text);
  };
  if (action == "pause") {
    require(server_state::running);
    server.pause();
    log("is paused. It cannot renew its session.");
  } else if (action == "continue") {
    require(server_state::paused);
    server.resume();
    log("goes on. It does not know how long it was paused.");
  } else if (action == "kill") {
    if (server.state() == server_state::dead)
      throw refused_action("Server " + server.name() + " is dead already.");
    server.kill();
    log("is killed. It releases nothing; its session ends at the session timeout.");
  } else if (action == "start") {
    require(server_state::dead);
    server.start();
    log("is started again, with a new session.");
  } else {
    throw std::invalid_argument("there is no such action");
  }
}

asio::awaitable<void> shop::expire_session(server_process& server) {
  if (chosen_.zookeeper == nullptr)
    throw refused_action("Only the shop's own ZooKeeper server can expire a session.");
  if (server.session().empty())
    throw refused_action("Server " + server.name() + " has no session now.");
  const auto session = static_cast<std::int64_t>(std::stoull(server.session(), nullptr, 16));
  const auto name = server.name();
  const bool expired =
      co_await asio::co_spawn(blocking_, expire(*chosen_.zookeeper, session), asio::use_awaitable);
  if (!expired) throw refused_action("The session of server " + name + " has ended already.");
  log_.add("ZooKeeper has expired the session of server " + name + ". Its entries are gone.");
}

server_process& shop::find_server(const std::string& name) {
  const auto found = std::find_if(servers_.begin(), servers_.end(),
                                  [&name](const auto& each) { return each.name() == name; });
  if (found == servers_.end()) throw std::invalid_argument("there is no such server");
  return *found;
}
