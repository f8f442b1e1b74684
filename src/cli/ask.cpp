#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/lock_text.hpp"
#include "cli/looking.hpp"
#include "cli/one_lock.hpp"
#include "cli/with_client.hpp"

#include <boost/program_options/value_semantic.hpp>

#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;

asio::awaitable<int> ask_holders(client& zk, std::string path, std::string node) {
  // Permits that are taken together are asked once. One transaction created them.
  std::set<std::pair<std::int64_t, std::int64_t>> asked;
  for (const auto& each : co_await choose(zk, path, node)) {
    const auto& one = each.one;
    if (one.role == participant_role::permit &&
        !asked.emplace(one.session_id, one.token.transaction()).second)
      continue;
    co_await lock_of(zk, each.path, each.type).request_release(one);
    std::cout << "asked " << describe(one) << std::endl;
  }
  co_return exit_code::success;
}

} // namespace

int ask(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  std::string path;
  std::string node;
  options::options_description own("Options");
  own.add_options()("node", options::value(&node)->value_name("NODE"),
                    "ask the holder or the waiter with this znode only: its name, or its path");
  command_line line(
      "ask [OPTION...] PATH",
      "Asks the holders of the lock at PATH to release it. They decide: zklock's holders "
      "see the\nrequest with hold::wait_release_requested, Curator's with makeRevocable. "
      "Exit code 1 if the\nlock is free.",
      "  zklock ask /locks/tickets\n");
  line.add(own);
  line.add(connection.describe());
  line.add_operand("path", options::value(&path)->required());
  if (!line.parse(arguments)) return exit_code::success;
  return run_with_client(connection.make(),
                         [&](client& zk) { return ask_holders(zk, path, node); });
}

} // namespace zklock::cli
