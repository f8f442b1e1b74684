#include "cli/answering_servers.hpp"
#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/deadlocks/wait_graph.hpp"
#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/json_text.hpp"
#include "cli/looking.hpp"
#include "cli/search.hpp"
#include "cli/text.hpp"
#include "cli/with_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;

struct deadlock_options {
  std::string root = "/";
  duration between{std::chrono::seconds(1)};
  client_key key = client_key::identity;
  bool as_json = false;
};

void print_text(const std::vector<wait_graph::cycle>& cycles) {
  for (const auto& cycle : cycles) {
    std::cout << "deadlock of " << cycle.size() << ":\n";
    for (const auto& each : cycle)
      std::cout << "  " << printable(each.waiter) << " waits for " << printable(each.path)
                << ", held by " << printable(each.holder) << '\n';
  }
}

void print_json(const std::string& root, const std::vector<wait_graph::cycle>& cycles) {
  json::array all;
  for (const auto& cycle : cycles) {
    json::array links;
    for (const auto& each : cycle)
      links.push_back(json::object{{"waiter", well_formed(each.waiter)},
                                   {"waiter_node", well_formed(each.waiter_node)},
                                   {"path", well_formed(each.path)},
                                   {"holder", well_formed(each.holder)},
                                   {"holder_node", well_formed(each.holder_node)}});
    all.push_back(links);
  }
  std::cout << json_text(json::object{{"root", well_formed(root)}, {"deadlocks", all}}) << '\n';
}

asio::awaitable<int> look_twice(client& zk, const deadlock_options& wanted) {
  const wait_graph first(co_await search(zk, wanted.root, if_missing::fail), wanted.key);
  std::vector<wait_graph::cycle> cycles;
  if (!first.find_cycles().empty()) {
    asio::steady_timer pause(zk.get_executor(), wanted.between.time);
    co_await pause.async_wait(asio::deferred);
    wait_graph second(co_await search(zk, wanted.root, if_missing::ignore), wanted.key);
    second.keep_common(first);
    cycles = second.find_cycles();
  }
  if (wanted.as_json)
    print_json(wanted.root, cycles);
  else
    print_text(cycles);
  co_return cycles.empty() ? exit_code::success : exit_code::conflict;
}

client_key parse_key(const std::string& text) {
  if (text == "identity") return client_key::identity;
  if (text == "session") return client_key::session;
  throw usage_error("invalid value \"" + text + "\" of --by: must be identity or session");
}

} // namespace

int deadlocks(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  deadlock_options wanted;
  std::string key = "identity";
  options::options_description own("Options");
  auto add = own.add_options();
  add("again-after",
      options::value(&wanted.between)->value_name("TIME")->default_value(wanted.between),
      "how long a cycle must last: the locks are looked at twice");
  add("by", options::value(&key)->value_name("KEY")->default_value(key),
      "what tells clients apart: identity or session. Curator's clients on one host have the same "
      "identity");
  add("json", options::bool_switch(&wanted.as_json), "print JSON, for programs");
  command_line line(
      "deadlocks [OPTION...] [ROOT]",
      "Finds clients that wait for each other, across all locks at ROOT and below it. "
      "Exit code 1 if\nthere are any. A client that waits in one coroutine and holds "
      "in another is no deadlock;\nsuch a cycle ends by itself.",
      "  zklock deadlocks /locks\n"
      "  zklock deadlocks --again-after 30s --by session /locks\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("root", options::value(&wanted.root));
  if (!line.parse(arguments)) return exit_code::success;
  wanted.key = parse_key(key);
  return run_with_client(with_answering_servers(connection.make()),
                         [&](client& zk) { return look_twice(zk, wanted); });
}

} // namespace zklock::cli
