#pragma once

#include <boost/program_options.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace options = boost::program_options;

/// The options of an example, `--help` among them.
class command_line {
 public:
  /// `description` is the name of the example and its purpose.
  explicit command_line(const std::string& description) : known_(description + "\n\nOptions") {
    known_.add_options()("help", "print this");
  }

  /// Adds options: `add()(NAME, VALUE, TEXT)...`.
  options::options_description_easy_init add() { return known_.add_options(); }

  /// Adds `--servers`. Its default is a server on this machine.
  void add_servers(std::string& servers) {
    add()("servers", options::value(&servers)->default_value("127.0.0.1:2181"),
          "ZooKeeper's servers: HOST:PORT[,HOST:PORT]...[/chroot]");
  }

  /// Returns the given options; an empty value after printing the help. Throws if an option is
  /// wrong or missing.
  std::optional<options::variables_map> parse(int argc, char** argv) const {
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, known_), given);
    if (given.contains("help")) {
      std::cout << known_;
      return std::nullopt;
    }
    options::notify(given);
    return given;
  }

 private:
  options::options_description known_;
};
