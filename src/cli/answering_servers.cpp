#include "cli/answering_servers.hpp"

#include <zklock/client.hpp>

#include "cli/server_question.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A client that finds no server is told so by its own way to connect.
constexpr std::chrono::milliseconds longest_wait = 1s;

// After the first answer, the other servers have as long again, at least this time.
constexpr steady_clock::duration shortest_grace = 20ms;

} // namespace

client_options with_answering_servers(client_options options) {
  // Checks the whole list.
  asio::io_context never_run{1};
  static_cast<void>(client(never_run, options));
  const auto list = split_servers(options.servers);
  if (list.addresses.size() < 2) return options;
  std::vector<server_answer> answers;
  for (const auto& each : list.addresses)
    answers.push_back({.address = each});

  const server_question question(options, std::min(longest_wait, options.connect_timeout));
  asio::io_context io{1};
  const auto begin = steady_clock::now();
  asio::steady_timer grace(io);
  bool answered = false;
  std::size_t left = answers.size();
  for (auto& each : answers)
    asio::co_spawn(io, question.ask(each), [&](std::exception_ptr problem) {
      if (problem) std::rethrow_exception(problem);
      if (--left == 0) io.stop();
      if (!each.serves() || std::exchange(answered, true)) return;
      grace.expires_after(std::max(steady_clock::now() - begin, shortest_grace));
      grace.async_wait([&io](auto) { io.stop(); });
    });
  io.run();

  std::string servers;
  for (const auto& each : answers)
    if (each.serves()) servers += (servers.empty() ? "" : ",") + each.address;
  if (!servers.empty()) options.servers = servers + list.chroot;
  return options;
}

} // namespace zklock::cli
