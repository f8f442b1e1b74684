#include "cli/answering_servers.hpp"
#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/lock_text.hpp"
#include "cli/looking.hpp"
#include "cli/one_lock.hpp"
#include "cli/with_client.hpp"

#include <boost/program_options/value_semantic.hpp>

#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;

bool confirmed() {
  std::cout << "Delete? The holder does not stop by that. [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

asio::awaitable<int> look(client& zk, std::string path, std::string node,
                          std::vector<chosen>& targets) {
  targets = co_await choose(zk, path, node);
  co_return exit_code::success;
}

asio::awaitable<int> delete_entries(client& zk, const std::vector<chosen>& targets) {
  for (const auto& each : targets) {
    const auto count = co_await lock_of(zk, each.path, each.type).break_lock(each.one);
    std::cout << (count == 0 ? "was gone  " : "deleted  ") << describe(each.one) << std::endl;
  }
  co_return exit_code::success;
}

} // namespace

int break_lock(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  std::string path;
  std::string node;
  bool yes = false;
  options::options_description own("Options");
  own.add_options()("node", options::value(&node)->value_name("NODE"),
                    "delete the entry of this holder or waiter only: the name of its znode, or its "
                    "path")("yes,y", options::bool_switch(&yes),
                            "do not ask; needed without a terminal");
  command_line line(
      "break [OPTION...] PATH",
      "Takes the lock at PATH away from its holders: deletes their entries, so that the next in\n"
      "line hold. A holder that is stuck or paused does not know that yet, and may go on as if it\n"
      "held the lock. Only storage that checks fencing tokens keeps it from doing harm. 'zklock "
      "ask'\n"
      "is the polite way. Exit code 1 if the lock is free, or if the answer is no.",
      "  zklock break /locks/tickets\n"
      "  zklock break --yes --node _c_2f0c1ad3-33b2-8d1c-9a52-000000000001-lock-0000000042 "
      "/locks/x\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("path", options::value(&path)->required());
  if (!line.parse(arguments)) return exit_code::success;
  if (!yes && ::isatty(STDIN_FILENO) != 1)
    throw usage_error("without a terminal, 'zklock break' needs --yes");
  // No session waits while the question is open: it would expire.
  std::vector<chosen> targets;
  run_with_client(with_answering_servers(connection.make()),
                  [&](client& zk) { return look(zk, path, node, targets); });
  for (const auto& each : targets)
    std::cout << (each.one.is_holder ? "holds  " : "waits  ") << describe(each.one) << std::endl;
  if (!yes && !confirmed()) throw failure(exit_code::conflict, "nothing was deleted");
  return run_with_client(with_answering_servers(connection.make()),
                         [&](client& zk) { return delete_entries(zk, targets); });
}

} // namespace zklock::cli
