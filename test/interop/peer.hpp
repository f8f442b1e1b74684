#pragma once

#include "testing/child_process.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <ostream>
#include <string>

namespace zklock::test {

/// The library whose locks a peer uses.
enum class library {
  /// Curator, in Java.
  curator,
  /// kazoo, in Python.
  kazoo,
  /// go-zookeeper, in Go. It has a mutex only.
  go_zookeeper,
};

inline constexpr std::array all_libraries{library::curator, library::kazoo, library::go_zookeeper};

/// The libraries that have readers and writers.
inline constexpr std::array libraries_with_readers{library::curator, library::kazoo};

std::ostream& operator<<(std::ostream& out, library which);

/// Whether the script newer_clients has started the test.
bool are_peers_newer();

/// A program in another language that uses the locks of another library, as commands tell it. The
/// programs' own sources list their commands. The second word of a command is a name. The answers
/// to it begin with the same name, so that several commands can be under way.
///
/// The program is killed at the end. Its locks stay until its session expires.
class peer {
 public:
  /// Starts the program, and waits until it is connected.
  peer(library which, const std::string& servers, std::chrono::milliseconds session_timeout);

  /// Sends a command.
  void tell(const std::string& command);

  /// Waits for the next answer with this name, and returns the rest of it. Throws where there is
  /// none in time.
  std::string hear(const std::string& name,
                   std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Sends a command and waits for its answer.
  std::string ask(const std::string& command);

  /// Sends a command that acquires something, waits for its answer, and returns the entry. Throws
  /// where the command does not acquire it.
  std::string take(const std::string& command);

  /// Returns whether an answer with this name has come.
  bool has_answered(const std::string& name);

  /// Ends the program as a crash does.
  void kill();

 private:
  void note(const std::string& line);

  testing::child_process process_;
  std::map<std::string, std::deque<std::string>> answers_;
};

} // namespace zklock::test
