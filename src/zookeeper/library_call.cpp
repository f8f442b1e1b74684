#include "zookeeper/library_call.hpp"

#include <string_view>

namespace zklock::zookeeper {

namespace {

constinit std::mutex library;
constinit thread_local std::vector<std::string>* collected = nullptr;

/// Cuts "2022-02-25 08:00:00,000:4711:ZOO_ERROR@function@2510: " and the newline some lines have.
std::string_view message(std::string_view line) {
  if (const auto level = line.find(":ZOO_"); level != line.npos) {
    if (const auto end = line.find(": ", level); end != line.npos) line.remove_prefix(end + 2);
  }
  while (line.ends_with('\n'))
    line.remove_suffix(1);
  return line;
}

} // namespace

library_call::library_call(const logger& log) : log_(log), lock_(library) {
  collected = &lines_;
}

library_call::~library_call() {
  collected = nullptr;
  lock_.unlock();
  for (const auto& line : lines_)
    log_(log_level::warning, "C client: ", line);
}

void library_call::collect(const char* line) noexcept {
  if (!collected) return;
  try {
    collected->emplace_back(message(line));
  } catch (...) {
    // A line that memory does not suffice for is one less; the frames above us are C.
  }
}

} // namespace zklock::zookeeper
