#pragma once

#include "support/helper_process.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <ostream>
#include <string>

namespace zklock::test {

/// Whose locks a peer uses.
enum class library {
  /// Curator, in Java.
  curator,
  /// kazoo, in Python.
  kazoo,
  /// go-zookeeper, in Go. It has a mutex only.
  go_zookeeper,
};

inline constexpr std::array all_libraries{library::curator, library::kazoo, library::go_zookeeper};

/// Those that have readers and writers.
inline constexpr std::array libraries_with_readers{library::curator, library::kazoo};

std::ostream& operator<<(std::ostream& out, library which);

/// A program in another language that uses the locks of another library and does what it is told.
/// The programs themselves say which commands they know. The second word of a command is a name,
/// and the answers to it begin with the same name, so that several commands can be under way.
///
/// The program is killed in the end. What it held then stays until its session expires.
class peer {
 public:
  /// Starts it, and waits until it is connected.
  peer(library which, const std::string& servers, std::chrono::milliseconds session_timeout);

  /// Sends a command.
  void tell(const std::string& command) const;

  /// Waits for the next answer that has this name, and returns the rest of it. Throws when there
  /// is none in time.
  std::string hear(const std::string& name,
                   std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Sends a command and waits for its answer.
  std::string ask(const std::string& command);

  /// The same for one that acquires something; returns the entry that it has then. Throws when it
  /// does not get it.
  std::string take(const std::string& command);

  /// Returns whether an answer that has this name has come.
  bool has_answered(const std::string& name);

  /// Ends the program as a crash does.
  void kill() const;

 private:
  void note(const std::string& line);

  helper_process process_;
  std::map<std::string, std::deque<std::string>> answers_;
};

} // namespace zklock::test
