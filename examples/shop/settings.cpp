#include "settings.hpp"

#include "examples/command_line.hpp"

#include <chrono>
#include <stdexcept>

using namespace std::chrono_literals;

std::optional<settings> parse(int argc, char** argv) {
  settings chosen;
  duration_option timeout;
  command_line line("ticket_shop: a ticket shop with a page that shows its lock at work");
  auto add = line.add();
  add("servers", options::value(&chosen.servers),
      "ZooKeeper's servers, HOST:PORT[,HOST:PORT]...[/chroot]; starts a server if not given");
  add("database", options::value(&chosen.database),
      "the SQLite database; a temporary one if not given");
  add("port", options::value(&chosen.port)->default_value(0), "the port of the page; 0: any");
  add("tickets", options::value(&chosen.tickets)->default_value(20), "the tickets of a stock");
  add("work", options::value(&chosen.work)->default_value({300ms}, "300ms"),
      "how long a sale takes, at most 60s; the page can change it");
  add("session-timeout", options::value(&timeout),
      "how long the lock stays taken if its holder dies; 3s, or 10s with --servers");

  const auto given = line.parse(argc, argv);
  if (!given) return std::nullopt;
  if (chosen.tickets < 0 || chosen.tickets > 10'000)
    throw std::runtime_error("--tickets must be from 0 to 10000");
  if (chosen.work.value > 60s) throw std::runtime_error("--work must be at most 60s");
  if (given->contains("session-timeout")) chosen.session_timeout = timeout;
  return chosen;
}
