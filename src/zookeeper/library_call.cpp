#include "zookeeper/library_call.hpp"

#include "zookeeper/process.hpp"

#include <algorithm>
#include <string_view>

namespace zklock::zookeeper {

namespace {

constinit thread_local wire* in_use = nullptr;
constinit thread_local std::string* messages = nullptr;

/// Removes "2022-02-25 08:00:00,000:4711:ZOO_ERROR@function@2510: " and "Socket 127.0.0.1:2181 zk
/// retcode=-4, ": the log line of the session already has the address.
std::string_view without_prefix(std::string_view line) {
  const auto cut = [&line](std::string_view before, std::string_view last) {
    const auto found = line.find(last, std::min(line.find(before), line.size()));
    if (found != line.npos) line.remove_prefix(found + last.size());
  };
  cut(":ZOO_", ": ");
  if (line.starts_with("Socket ")) cut("zk retcode", ", ");
  while (line.ends_with('\n'))
    line.remove_suffix(1);
  return line;
}

} // namespace

library_call::library_call(wire& through, std::string& log) : lock_(mutexes_of_process().c_client) {
  in_use = &through;
  messages = &log;
}

library_call::library_call(wire& through) {
  in_use = &through;
}

library_call::~library_call() {
  in_use = nullptr;
  messages = nullptr;
}

wire& library_call::current() noexcept {
  return *in_use;
}

void library_call::collect(const char* line) noexcept {
  if (!messages) return;
  if (!messages->empty()) messages->append("; ");
  messages->append(without_prefix(line));
}

} // namespace zklock::zookeeper
