#include "cli/run/processes.hpp"

#include "cli/failure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

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

namespace {

using processes_by_parent = std::multimap<pid_t, process>;

// Empty, or in part, where no descriptor is left.
processes_by_parent read_all() {
  processes_by_parent all;
  std::error_code failed;
  for (std::filesystem::directory_iterator each("/proc", failed), end; !failed && each != end;
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    pid_t id = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (const auto found = find_process(id); found.id != 0) all.emplace(found.parent, found);
  }
  return all;
}

std::string read_from_start(int file) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t size = 0;
       (size = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(text.size()))) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(size));
  return text;
}

// The number that the kernel gives this process in the namespace of /proc.
pid_t own_id() {
  std::error_code failed;
  const auto name = std::filesystem::read_symlink("/proc/self", failed).string();
  pid_t id = 0;
  std::from_chars(name.data(), name.data() + name.size(), id);
  return id;
}

} // namespace

process_list::process_list()
    : children_(::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC)) {
  if (children_.get() < 0)
    throw failure(exit_code::system,
                  std::string("cannot read /proc/thread-self/children: ") + std::strerror(errno));
  if (own_id() != ::getpid())
    throw failure(exit_code::system, "/proc is that of another PID namespace");
}

// The kernel can leave out a child where another child ends meanwhile.
std::vector<pid_t> process_list::children() const {
  std::string text, before;
  do
    before = std::exchange(text, read_from_start(children_.get()));
  while (text != before);
  std::vector<pid_t> result;
  std::istringstream in(text);
  for (pid_t id = 0; in >> id;)
    result.push_back(id);
  return result;
}

std::vector<process> process_list::descendants(const std::vector<pid_t>& without) const {
  auto by_parent = read_all();
  const auto own = ::getpid();
  const auto session = ::getsid(0);
  for (const pid_t id : children()) {
    const auto [begin, end] = by_parent.equal_range(own);
    if (std::none_of(begin, end, [id](const auto& each) { return each.second.id == id; }))
      by_parent.emplace(
          own, process{.id = id, .parent = own, .group = ::getpgid(id), .session = ::getsid(id)});
  }
  std::vector<process> all;
  std::vector<pid_t> parents{own};
  while (!parents.empty()) {
    const auto [begin, end] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto each = begin; each != end; ++each) {
      if (std::ranges::find(without, each->second.id) != without.end()) continue;
      parents.push_back(each->second.id);
      all.push_back(each->second);
    }
  }
  std::erase_if(all, [session](const process& each) {
    return each.session != session || each.state == 'Z' || each.state == 'X';
  });
  return all;
}

} // namespace zklock::cli
