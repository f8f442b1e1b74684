// The driver of the ticket demo. Starts three ticket servers on a database and a ZooKeeper
// ensemble, buys tickets from all of them at once, and checks the database. Runs first with the
// lock, then without it.
//
//   ticket_load --servers HOST:PORT[,...][/chroot] [--purchases N] [--tickets N] ...
//
// The status is 0 only if the lock prevented every oversold ticket and lost sale.

#include <zklock/zklock.hpp>

#include "buyers.hpp"
#include "examples/command_line.hpp"
#include "stock.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace testing = zklock::testing;
using namespace std::chrono_literals;

namespace {

struct settings {
  std::string servers;
  std::size_t purchases;
  std::size_t parallel;
  std::size_t processes;
  int tickets;
};

/// Ticket servers that share a database.
class shops {
 public:
  shops(const settings& chosen, const testing::temporary_directory& folder,
        const fs::path& database, bool locked);

  std::vector<std::uint16_t> ports() const { return ports_; }

  /// Stops the servers. Throws if a server ends with a status other than 0.
  void stop();

 private:
  std::vector<testing::child_process> processes_;
  std::vector<std::uint16_t> ports_;
};

shops::shops(const settings& chosen, const testing::temporary_directory& folder,
             const fs::path& database, bool locked) {
  const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "ticket_server";
  std::vector<std::string> command{program,
                                   "--servers",
                                   chosen.servers,
                                   "--database",
                                   database,
                                   "--stock",
                                   std::to_string(chosen.tickets)};
  if (!locked) command.emplace_back("--no-lock");
  for (std::size_t i = 0; i < chosen.processes; ++i)
    processes_.emplace_back(
        testing::child_options{.command = command, .piped = true, .kept_open = folder.lifeline()});
  for (auto& process : processes_) {
    const auto line = process.read_line();
    ports_.push_back(static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1))));
  }
}

void shops::stop() {
  for (auto& process : processes_)
    if (const int status = process.stop(); status != 0)
      throw std::runtime_error("a ticket server ended with status " + std::to_string(status));
}

/// The responses to the buyers and the contents of the database.
struct outcome {
  purchases bought;
  ledger recorded;
};

int oversold(const outcome& run, const settings& chosen) {
  return std::max(0, static_cast<int>(run.recorded.sales.size()) - chosen.tickets);
}

bool tokens_rise(const std::vector<sale>& sales) {
  return std::adjacent_find(sales.begin(), sales.end(), [](const sale& a, const sale& b) {
           return a.token >= b.token;
         }) == sales.end();
}

/// Returns the first fault of the run with the lock, or an empty string.
std::string fault(const outcome& run, const settings& chosen) {
  const auto expected = std::min(chosen.purchases, static_cast<std::size_t>(chosen.tickets));
  const auto& sales = run.recorded.sales;
  if (run.bought.failed > 0) return "a purchase failed: " + run.bought.problem;
  if (oversold(run, chosen) > 0) return "more tickets were sold than there were";
  if (run.bought.sold != expected || sales.size() != expected ||
      run.recorded.left != chosen.tickets - static_cast<int>(expected))
    return "sales were lost: of " + std::to_string(expected) + ", buyers have " +
           std::to_string(run.bought.sold) + " and the database has " +
           std::to_string(sales.size());
  if (!tokens_rise(sales)) return "the tokens do not rise from sale to sale";
  return "";
}

double percentile(const purchases& bought, double part) {
  if (bought.times.empty()) return 0;
  const auto last = static_cast<double>(bought.times.size() - 1);
  return bought.times[static_cast<std::size_t>(last * part)].count();
}

void print_head(const settings& chosen) {
  std::printf("%zu purchases, %zu at a time, of %d tickets; %zu servers, one database, ZooKeeper "
              "at %s\n\n",
              chosen.purchases, chosen.parallel, chosen.tickets, chosen.processes,
              chosen.servers.c_str());
  std::printf("%-13s %6s %8s %9s %11s %8s %8s  %s\n", "", "sold", "refused", "oversold",
              "requests/s", "p50 ms", "p99 ms", "tokens rising");
  std::fflush(stdout);
}

void print_row(const outcome& run, const settings& chosen, bool locked) {
  const auto rate = static_cast<double>(run.bought.times.size()) / run.bought.elapsed.count();
  const char* rising = tokens_rise(run.recorded.sales) ? "yes" : "no";
  std::printf("%-13s %6zu %8zu %9d %11.0f %8.1f %8.1f  %s\n", locked ? "with lock" : "without lock",
              run.bought.sold, run.bought.refused, oversold(run, chosen), rate,
              percentile(run.bought, 0.5), percentile(run.bought, 0.99),
              locked ? rising : "no tokens");
  std::fflush(stdout);
}

asio::awaitable<outcome> run_demo(const settings& chosen,
                                  const testing::temporary_directory& folder, const char* file,
                                  bool locked) {
  const fs::path database = folder.path() / file;
  shops open(chosen, folder, database, locked);
  outcome run;
  run.bought = co_await buy_tickets(open.ports(), chosen.purchases, chosen.parallel);
  open.stop();
  run.recorded = stock::read(database);
  print_row(run, chosen, locked);
  co_return run;
}

/// Throws if ZooKeeper is not available: a clear message instead of many failed purchases.
asio::awaitable<void> check_servers(const std::string& servers) {
  const auto executor = co_await asio::this_coro::executor;
  zklock::client client{executor, {.servers = servers}};
  zklock::mutex lock{client, "/locks/tickets-check"};
  try {
    zklock::hold hold = co_await lock.acquire(5s);
    co_await hold.release();
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error("cannot acquire a lock from ZooKeeper at " + servers + ": " +
                             e.code().message());
  }
  co_await client.close();
}

/// Returns the exit status.
asio::awaitable<int> run_both(const settings& chosen, const testing::temporary_directory& folder) {
  co_await check_servers(chosen.servers);
  print_head(chosen);
  const auto locked = co_await run_demo(chosen, folder, "locked.db", true);
  co_await run_demo(chosen, folder, "unlocked.db", false);
  std::printf("\n");
  const auto problem = fault(locked, chosen);
  if (problem.empty()) co_return 0;
  std::cerr << "ticket_load: " << problem << std::endl;
  co_return 1;
}

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  command_line line("ticket_load: buys tickets from several servers");
  auto add = line.add();
  add("servers", options::value(&chosen.servers)->required(),
      "ZooKeeper's servers, HOST:PORT[,HOST:PORT]...[/chroot]");
  add("purchases", options::value(&chosen.purchases)->default_value(600), "number of purchases");
  add("tickets", options::value(&chosen.tickets)->default_value(200), "number of tickets");
  add("parallel", options::value(&chosen.parallel)->default_value(60), "purchases at a time");
  add("processes", options::value(&chosen.processes)->default_value(3), "number of ticket servers");

  if (!line.parse(argc, argv)) return std::nullopt;
  if (chosen.parallel == 0 || chosen.processes == 0 || chosen.tickets < 0)
    throw std::runtime_error("--parallel and --processes must be at least 1, --tickets 0");
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  // Declared before the io_context: its coroutines own the ticket servers, which use both.
  testing::temporary_directory folder;

  // A signal ends run() instead of the process, so that destructors stop the servers.
  int status = 1;
  asio::io_context io{1};
  asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
  signals.async_wait([&io, &status](auto error, int number) {
    if (error) return;
    status = 128 + number;
    io.stop();
  });

  auto done = [&status, &signals](std::exception_ptr failure, int result) {
    signals.cancel();
    if (failure) std::rethrow_exception(failure);
    status = result;
  };
  asio::co_spawn(io, run_both(*chosen, folder), done);
  io.run();
  return status;
} catch (const std::exception& e) {
  std::cerr << "ticket_load: " << e.what() << '\n';
  return 1;
}
