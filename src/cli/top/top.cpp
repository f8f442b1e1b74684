#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/looking.hpp"
#include "cli/search.hpp"
#include "cli/text_table.hpp"
#include "cli/top/live_view.hpp"
#include "cli/top/lock_history.hpp"
#include "cli/top/lock_list.hpp"
#include "cli/top/row_table.hpp"
#include "cli/top/top_options.hpp"
#include "cli/with_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <unistd.h>

#include <chrono>
#include <clocale>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;

asio::awaitable<std::vector<lock_row>> next_rows(client& zk, const std::string& root,
                                                 lock_history& history) {
  auto found = co_await search(zk, root, if_missing::report);
  co_return history.add(std::move(found), {.steady = std::chrono::steady_clock::now(),
                                           .wall = std::chrono::system_clock::now()});
}

// Looks twice: the changes in between give the rate of hand-overs.
asio::awaitable<int> print_rows(client& zk, const top_options& wanted) {
  lock_history history(wanted.stuck_after.time);
  co_await next_rows(zk, wanted.root, history);
  asio::steady_timer pause(zk.get_executor(), wanted.interval.time);
  co_await pause.async_wait(asio::deferred);
  lock_list list(wanted.sort);
  list.show(co_await next_rows(zk, wanted.root, history));
  row_table(list.rows()).print(std::cout, colours_wanted());
  co_return exit_code::success;
}

asio::awaitable<int> show_live(client& zk, const top_options& wanted) {
  live_view view(zk, wanted);
  co_return co_await view.run();
}

} // namespace

int top(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  top_options wanted;
  std::string sort(name_of(wanted.sort));
  bool once = false;
  options::options_description own("Options");
  auto add = own.add_options();
  add("interval,i",
      options::value(&wanted.interval)->value_name("TIME")->default_value(wanted.interval),
      "time between two looks, 0.1 s to 60 s");
  add("sort,s", options::value(&sort)->value_name("KEY")->default_value(sort),
      "waiters, longest (wait), handovers or path");
  add("stuck-after",
      options::value(&wanted.stuck_after)->value_name("TIME")->default_value(wanted.stuck_after),
      "mark a lock whose holders stay for so long while others wait");
  add("once", options::bool_switch(&once),
      "look twice, print the locks as plain text, and exit; always so without a terminal");
  command_line line(
      "top [OPTION...] [ROOT]",
      "Shows the locks at ROOT and below it while they change. ROOT is / if it is not given.\n\n"
      "Keys:\n"
      "  Up, Down, j, k          select a lock; also Page Up, Page Down, Home, End, g, G\n"
      "  Enter, Escape           show the line of the selected lock; back to all locks\n"
      "  s                       sort by waiters, longest wait, hand-overs or path\n"
      "  a                       ask the holders of the selected lock to release it\n"
      "  b                       break the selected lock, after a question\n"
      "  Space                   pause, and go on\n"
      "  +, -                    double or halve the interval\n"
      "  q, ^C                   quit\n",
      "  zklock top /locks\n"
      "  zklock top --once --sort handovers /locks | head\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("root", options::value(&wanted.root));
  if (!line.parse(arguments)) return exit_code::success;
  wanted.sort = parse_sort_key(sort);
  if (wanted.interval.time < std::chrono::milliseconds(100) ||
      wanted.interval.time > std::chrono::minutes(1))
    throw usage_error("invalid time " + to_text(wanted.interval.time) +
                      " of --interval: must be 0.1 s to 60 s");
  std::setlocale(LC_CTYPE, "");
  once = once || ::isatty(STDOUT_FILENO) != 1;
  if (once)
    return run_with_client(connection.make(), [&](client& zk) { return print_rows(zk, wanted); });
  auto made = connection.make();
  // The view itself shows the state of the connection; lines of a log would disturb the screen.
  made.log = [](auto&&...) {};
  return run_with_client(made, [&](client& zk) { return show_live(zk, wanted); });
}

} // namespace zklock::cli
