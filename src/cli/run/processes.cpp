#include "cli/run/processes.hpp"

#include "cli/failure.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace zklock::cli {

process find_process(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  // The name of the program, in parentheses, can have anything in it.
  const auto name_end = text.rfind(')');
  if (name_end == text.npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  process result{.id = id};
  if (fields >> result.state >> result.parent >> result.group >> result.session) return result;
  return {};
}

std::vector<process> descendants(const std::vector<pid_t>& without) {
  std::multimap<pid_t, process> by_parent;
  std::error_code unreadable;
  for (const auto& each : std::filesystem::directory_iterator("/proc", unreadable)) {
    const auto name = each.path().filename().string();
    pid_t id = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (const auto found = find_process(id); found.id != 0) by_parent.emplace(found.parent, found);
  }
  if (by_parent.empty()) throw failure(exit_code::system, "cannot read /proc");

  std::vector<process> all;
  std::vector<pid_t> parents{::getpid()};
  while (!parents.empty()) {
    const auto [begin, end] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto each = begin; each != end; ++each) {
      if (std::ranges::find(without, each->second.id) != without.end()) continue;
      parents.push_back(each->second.id);
      all.push_back(each->second);
    }
  }
  const auto session = ::getsid(0);
  std::erase_if(all, [session](const process& each) {
    return each.session != session || each.state == 'Z' || each.state == 'X';
  });
  return all;
}

} // namespace zklock::cli
