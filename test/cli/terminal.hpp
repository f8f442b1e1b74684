#pragma once

#include "cli/command.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

/// A terminal with an interactive shell, in tmux. The shell knows the program as `zklock`, and the
/// servers.
class terminal {
 public:
  terminal() : server_(start_server()) {
    std::ofstream(startup()) << "PS1='> '\nalias zklock='" ZKLOCK_COMMAND "'\n"
                             << "export LC_ALL=C.UTF-8 ZKLOCK_SERVERS=" << shared_server().address()
                             << '\n';
    wait_until([this] { return std::filesystem::exists(socket()); });
    tmux({"new-session", "-d", "-x", "120", "-y", "40",
          "bash --noprofile --rcfile " + startup() + " -i"});
    wait_for_line("> ");
  }

  /// Types a line.
  void type(const std::string& line) {
    tmux({"send-keys", "-l", line});
    press("Enter");
  }

  /// Presses a key by tmux's name for it: `C-c`, `Enter`.
  void press(const std::string& key) { tmux({"send-keys", key}); }

  /// Changes the size of the terminal.
  void resize(int columns, int lines) {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(lines)});
  }

  /// Returns the lines on the screen; with the sequences for colours and attributes if
  /// `attributes` is true.
  std::vector<std::string> lines(bool attributes = false) {
    std::vector<std::string> capture{"capture-pane", "-p"};
    if (attributes) capture.emplace_back("-e");
    testing::child_process shown({.command = command(capture), .piped = true});
    std::vector<std::string> result;
    try {
      for (;;)
        result.push_back(shown.read_line());
    } catch (const testing::error&) {
      return result;
    }
  }

  /// Waits until a line of the screen is this text; spaces at the end do not count.
  void wait_for_line(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    wait_until([&] {
      const auto all = lines();
      return std::ranges::find(all, text) != all.end();
    });
  }

  /// Waits until a line of the screen has this text in it.
  void wait_for_text(const std::string& text) {
    wait_until([&] { return shows(text); });
  }

  bool shows(const std::string& text) {
    return std::ranges::any_of(
        lines(), [&](const std::string& line) { return line.find(text) != line.npos; });
  }

 private:
  std::string socket() const { return (directory_.path() / "tmux").string(); }
  std::string startup() const { return (directory_.path() / "bashrc").string(); }

  std::vector<std::string> command(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"tmux", "-u", "-S", socket(), "-f", "/dev/null"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  // Not as a daemon: it ends with this object, and with the test.
  testing::child_process start_server() const {
    return testing::child_process({.command = command({"-D"}), .log = directory_.path() / "log"});
  }

  void tmux(const std::vector<std::string>& arguments) {
    testing::child_process({.command = command(arguments), .log = directory_.path() / "log"})
        .wait();
  }

  testing::temporary_directory directory_;
  testing::child_process server_;
};

} // namespace zklock::test
