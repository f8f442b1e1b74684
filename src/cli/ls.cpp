#include "cli/answering_servers.hpp"
#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/json_text.hpp"
#include "cli/lock_text.hpp"
#include "cli/looking.hpp"
#include "cli/search.hpp"
#include "cli/text.hpp"
#include "cli/text_table.hpp"
#include "cli/with_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;

struct ls_options {
  std::string root = "/";
  std::size_t levels = std::numeric_limits<std::size_t>::max();
  bool all = false;
  bool as_json = false;
};

void print_table(const std::vector<found_lock>& locks) {
  text_table table({{.heading = "PATH"},
                    {.heading = "TYPE"},
                    {.heading = "HOLDERS", .numbers = true},
                    {.heading = "WAITERS", .numbers = true},
                    {.heading = "OLDEST", .numbers = true},
                    {.heading = "MARKS"}});
  for (const auto& each : locks) {
    const auto holders = count_holders(each);
    std::chrono::nanoseconds oldest{0};
    for (const auto& one : each.participants)
      if (one.token.transaction() != 0) oldest = std::max(oldest, age_of(one));
    const auto marks = marks_of(each);
    table.add({printable(each.path), std::string(name_of(each.type)), std::to_string(holders),
               std::to_string(each.participants.size() - holders),
               each.participants.empty() ? "-" : age_text(oldest), join(marks)},
              !marks.empty());
  }
  table.print(std::cout, colours_wanted());
}

void print_json(const std::string& root, const std::vector<found_lock>& locks) {
  json::array all;
  for (const auto& each : locks)
    all.push_back(to_json(each));
  std::cout << json_text(json::object{{"root", well_formed(root)}, {"locks", all}}) << '\n';
}

asio::awaitable<int> list(client& zk, const ls_options& wanted) {
  auto locks = co_await search(zk, wanted.root, if_missing::report, wanted.levels);
  if (!wanted.all)
    std::erase_if(locks,
                  [](const found_lock& each) { return each.participants.empty() && !each.error; });
  if (wanted.as_json)
    print_json(wanted.root, locks);
  else
    print_table(locks);
  co_return exit_code::success;
}

} // namespace

int ls(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  ls_options wanted;
  options::options_description own("Options");
  own.add_options()("all,a", options::bool_switch(&wanted.all),
                    "list empty directories too that may be unused locks")(
      "levels,L", options::value(&wanted.levels)->value_name("N"),
      "search at most N levels below ROOT; default: all")(
      "json", options::bool_switch(&wanted.as_json), "print JSON, for programs");
  command_line line(
      "ls [OPTION...] [ROOT]",
      "Lists the locks at ROOT and below it, of every kind and of every client: zklock, "
      "Curator,\nkazoo and go-zookeeper. ROOT is / if it is not given.",
      "  zklock ls /locks\n"
      "  zklock ls --json /locks | jq '.locks[] | select(.waiters > 10)'\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("root", options::value(&wanted.root));
  if (!line.parse(arguments)) return exit_code::success;
  return run_with_client(with_answering_servers(connection.make()),
                         [&](client& zk) { return list(zk, wanted); });
}

} // namespace zklock::cli
