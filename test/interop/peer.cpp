#include "interop/peer.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace zklock::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

std::string program(library which) {
  switch (which) {
  case library::curator:
    return ZKLOCK_JAVA_PROGRAM;
  case library::kazoo:
    return ZKLOCK_PYTHON;
  case library::go_zookeeper:
    break;
  }
  return ZKLOCK_GO_PEER;
}

std::vector<std::string> arguments(library which, const std::string& servers,
                                   milliseconds session_timeout) {
  const auto timeout = std::to_string(session_timeout.count());
  if (which == library::kazoo) return {"-B", ZKLOCK_KAZOO_PEER, servers, timeout};
  if (which == library::go_zookeeper) return {servers, timeout};
  // Starts fast, and leaves nothing in the folder for temporary files.
  return {"-XX:-UsePerfData",
          "-XX:TieredStopAtLevel=1",
          "-Xmx128m",
          ZKLOCK_CURATOR_PEER,
          servers,
          timeout};
}

// Returns the second word of a command.
std::string name_in(const std::string& command) {
  const auto begin = command.find(' ') + 1;
  return command.substr(begin, command.find(' ', begin) - begin);
}

} // namespace

std::ostream& operator<<(std::ostream& out, library which) {
  switch (which) {
  case library::curator:
    return out << "Curator";
  case library::kazoo:
    return out << "kazoo";
  case library::go_zookeeper:
    break;
  }
  return out << "go-zookeeper";
}

peer::peer(library which, const std::string& servers, milliseconds session_timeout)
    : process_(program(which), arguments(which, servers, session_timeout)) {
  if (process_.hear() != "ready") throw std::runtime_error("the peer is not ready");
}

void peer::tell(const std::string& command) const {
  process_.say(command);
}

std::string peer::hear(const std::string& name, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  auto& heard = answers_[name];
  while (heard.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    const auto line = process_.hear_within(std::max(left, milliseconds(0)));
    if (!line) throw std::runtime_error("the peer does not answer " + name);
    note(*line);
  }
  auto answer = heard.front();
  heard.pop_front();
  return answer;
}

std::string peer::ask(const std::string& command) {
  tell(command);
  return hear(name_in(command));
}

std::string peer::take(const std::string& command) {
  const auto answer = ask(command);
  if (!answer.starts_with("held ")) throw std::runtime_error(command + ": " + answer);
  return answer.substr(answer.find(' ') + 1);
}

bool peer::has_answered(const std::string& name) {
  while (const auto line = process_.hear_within(milliseconds(0)))
    note(*line);
  return !answers_[name].empty();
}

void peer::kill() const {
  process_.signal(SIGKILL);
}

void peer::note(const std::string& line) {
  const auto end = line.find(' ');
  answers_[line.substr(0, end)].push_back(end == line.npos ? std::string() : line.substr(end + 1));
}

} // namespace zklock::test
