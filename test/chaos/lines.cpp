#include "chaos/lines.hpp"

#include <zklock/testing/error.hpp>

#include "support/raw_client.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace chaos {
namespace {

namespace testing = zklock::testing;

constexpr std::size_t most_shown = 4;

std::string_view number_of(const std::string& entry) {
  constexpr std::size_t digits = 10;
  return std::string_view(entry).substr(entry.size() - std::min(digits, entry.size()));
}

void show_line(testing::raw_client& zk, const std::string& path, std::ostream& out) {
  auto entries = zk.children(path);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
  std::size_t shown = 0;
  for (const auto& each : entries) {
    const auto node = path + '/' + each;
    if (each == "locks" || each == "leases")
      show_line(zk, node, out);
    else if (const auto stat = zk.exists(node); stat && ++shown <= most_shown)
      out << "\n  " << node << ", session 0x" << std::hex << stat->ephemeral_owner;
  }
}

} // namespace

std::string first_in_line(const cluster& servers) {
  std::ostringstream out;
  for (std::size_t i = 0; i < cluster::servers; ++i) {
    out << "\nserver " << std::dec << i + 1 << " has first in line:";
    try {
      testing::raw_client zk(servers.direct_address(i));
      zk.sync();
      for (const auto& lock : zk.children("/chaos"))
        show_line(zk, "/chaos/" + lock, out);
    } catch (const testing::error& error) {
      out << ' ' << error.what();
    }
  }
  return out.str();
}

} // namespace chaos
