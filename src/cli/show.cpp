#include "cli/answering_servers.hpp"
#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/json_text.hpp"
#include "cli/line_table.hpp"
#include "cli/lock_text.hpp"
#include "cli/looking.hpp"
#include "cli/one_lock.hpp"
#include "cli/text_table.hpp"
#include "cli/with_client.hpp"

#include <boost/json/array.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;

void print_json(const std::vector<found_lock>& locks) {
  json::array all;
  for (const auto& each : locks) {
    json::array participants;
    for (const auto& one : each.participants)
      participants.push_back(to_json(one));
    auto made = to_json(each);
    made["participants"] = std::move(participants);
    all.push_back(std::move(made));
  }
  std::cout << json_text(json::object{{"locks", all}}) << '\n';
}

asio::awaitable<int> print_lock(client& zk, std::string path, bool as_json) {
  const auto locks = co_await find_at(zk, path, if_missing::report);
  if (as_json)
    print_json(locks);
  else
    for (const auto& each : locks)
      print_line(std::cout, each, colours_wanted());
  co_return exit_code::success;
}

} // namespace

int show(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  std::string path;
  bool as_json = false;
  options::options_description own("Options");
  own.add_options()("json", options::bool_switch(&as_json), "print JSON, for programs");
  command_line line(
      "show [OPTION...] PATH",
      "Lists the holders and the waiters of the lock at PATH, in the order of the queue. "
      "Prints\nnothing if the lock is free. AGE is the time since a participant got in "
      "line.",
      "  zklock show /locks/tickets\n"
      "  zklock show --json /locks/tickets | jq -r '.locks[].participants[].identity'\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("path", options::value(&path)->required());
  if (!line.parse(arguments)) return exit_code::success;
  return run_with_client(with_answering_servers(connection.make()),
                         [&](client& zk) { return print_lock(zk, path, as_json); });
}

} // namespace zklock::cli
