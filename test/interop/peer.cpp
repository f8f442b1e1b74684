#include "interop/peer.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace zklock::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// The peer that the build has made, unless the environment names another: see newer_clients.
std::string peer_of(const char* variable, const char* built) {
  const char* const named = std::getenv(variable);
  return named ? named : built;
}

std::vector<std::string> command_of(library which, const std::string& servers,
                                    milliseconds session_timeout) {
  const auto timeout = std::to_string(session_timeout.count());
  switch (which) {
  case library::curator:
    // A virtual machine that starts fast, and leaves nothing in the folder for temporary files.
    return {ZKLOCK_JAVA_PROGRAM,
            "-XX:-UsePerfData",
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            peer_of("ZKLOCK_CURATOR_PEER", ZKLOCK_CURATOR_PEER),
            servers,
            timeout};
  case library::kazoo:
    return {ZKLOCK_PYTHON, "-B", ZKLOCK_KAZOO_PEER, servers, timeout};
  case library::go_zookeeper:
    break;
  }
  return {peer_of("ZKLOCK_GO_PEER", ZKLOCK_GO_PEER), servers, timeout};
}

// Returns the second word of a command.
std::string name_in(const std::string& command) {
  const auto begin = command.find(' ') + 1;
  return command.substr(begin, command.find(' ', begin) - begin);
}

} // namespace

bool are_peers_newer() {
  return std::getenv("ZKLOCK_GO_PEER") != nullptr;
}

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
    : process_({.command = command_of(which, servers, session_timeout), .piped = true}) {
  if (process_.read_line() != "ready") throw std::runtime_error("the peer is not ready");
}

void peer::tell(const std::string& command) {
  process_.write_line(command);
}

std::string peer::hear(const std::string& name, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  auto& heard = answers_[name];
  while (heard.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    const auto line = process_.try_read_line(std::max(left, milliseconds(0)));
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
  while (const auto line = process_.try_read_line(milliseconds(0)))
    note(*line);
  return !answers_[name].empty();
}

void peer::kill() {
  process_.signal(SIGKILL);
}

void peer::note(const std::string& line) {
  const auto end = line.find(' ');
  answers_[line.substr(0, end)].push_back(end == line.npos ? std::string() : line.substr(end + 1));
}

} // namespace zklock::test
