#pragma once

#include "cli/command.hpp"

#include <boost/test/unit_test.hpp>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test {

/// The end of a run of the command `zklock`.
struct outcome {
  int status = -1;
  std::string out{};
  std::string errors{};

  bool says(const std::string& part) const { return out.find(part) != out.npos; }
};

inline int status_of(int waited) {
  return WIFEXITED(waited) ? WEXITSTATUS(waited) : 128 + WTERMSIG(waited);
}

/// Runs `zklock` with arguments and further variables, without a terminal, and waits for its end.
inline outcome run_zklock(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {}) {
  command started(arguments, environment);
  outcome result;
  for (const auto& line : started.read_all())
    result.out += line + '\n';
  result.status = started.wait();
  result.errors = started.errors();
  BOOST_TEST_MESSAGE(result.out << result.errors);
  return result;
}

/// Runs `zklock` with arguments in a terminal of its own, types a text, and returns all that
/// the terminal shows.
inline outcome run_in_terminal(const std::vector<std::string>& arguments, const std::string& typed,
                               bool colours = true) {
  // All is ready before the fork: other threads may own locks then.
  std::vector<std::string> all{"env",         "TERM=xterm",   colours ? "NO_COLOR=" : "NO_COLOR=1",
                               "timeout",     "--foreground", "60",
                               ZKLOCK_COMMAND};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& each : all)
    pointers.push_back(each.data());
  pointers.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) throw std::runtime_error("cannot make a terminal");
  if (child == 0) {
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  outcome result;
  if (::write(terminal, typed.data(), typed.size()) < 0) result.errors = "cannot type";
  std::array<char, 4096> piece{};
  // Reading fails once the program has ended.
  for (ssize_t size = 0; (size = ::read(terminal, piece.data(), piece.size())) > 0;)
    result.out.append(piece.data(), static_cast<std::size_t>(size));
  ::close(terminal);
  int status = -1;
  ::waitpid(child, &status, 0);
  result.status = status_of(status);
  BOOST_TEST_MESSAGE(result.out);
  return result;
}

/// Two programs that use locks, and a directory of their own for each test.
struct users {
  users() { witness.create_all(root); }

  static client_options named(const std::string& identity) {
    auto options = options_for(shared_server().address());
    options.identity = identity;
    return options;
  }

  /// The arguments of a subcommand, with the server.
  static std::vector<std::string> with_server(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1,
                     {"--servers", shared_server().address(), "--server-tick", "500ms"});
    return arguments;
  }

  static outcome run(std::vector<std::string> arguments) {
    return run_zklock(with_server(std::move(arguments)));
  }

  void wait_for_entries(const std::string& path, std::size_t count) {
    wait_until([&] { return entries(witness, path) == count; });
  }

  background context{2};
  testing::raw_client witness{shared_server().direct_address()};
  client one{context.io, named("till 1")};
  client two{context.io, named("till 2")};
  const std::string root = fresh_path("locks");
};

} // namespace zklock::test
