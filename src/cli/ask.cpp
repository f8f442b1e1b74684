#include "cli/answering_servers.hpp"
#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/lock_text.hpp"
#include "cli/looking.hpp"
#include "cli/one_lock.hpp"
#include "cli/with_client.hpp"

#include <boost/program_options/value_semantic.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;

asio::awaitable<int> ask_holders(client& zk, std::string path, std::string node) {
  for (const auto& each : requests_of(co_await choose(zk, path, node))) {
    co_await lock_of(zk, each.path, each.type).request_release(each.one);
    std::cout << "asked " << describe(each.one) << std::endl;
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
  return run_with_client(with_answering_servers(connection.make()),
                         [&](client& zk) { return ask_holders(zk, path, node); });
}

} // namespace zklock::cli
