#pragma once

#include "support/background.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace zklock::test {

namespace fs = std::filesystem;

inline std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Values of a configuration file by `section.key`; without a section by `key`.
using settings = std::map<std::string, std::string>;

/// Returns a file of examples/tls with other values. Each value must be in the file already, so
/// that the rest of the file is tested. An empty value removes the line.
inline std::string with_settings(const std::string& example, settings values) {
  std::istringstream in(content_of(fs::path(ZKLOCK_TLS_EXAMPLES) / example));
  std::string made, section;
  std::set<std::string> used;
  for (std::string line; std::getline(in, line); line.clear()) {
    const auto equals = line.find('=');
    if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1) + '.';
    if (!line.starts_with(';') && !line.starts_with('#') && equals != line.npos) {
      const auto key = section + line.substr(0, line.find_last_not_of(' ', equals - 1) + 1);
      if (const auto it = values.find(key); it != values.end()) {
        line = it->second.empty() ? "" : line.substr(0, equals) + "= " + it->second;
        used.insert(key);
      }
    }
    made += line + '\n';
  }
  if (used.size() != values.size()) throw std::runtime_error(example + " lacks a setting");
  return made;
}

/// Certificates in a temporary folder, as examples/tls/make_certificates makes them.
class certificates {
 public:
  explicit certificates(const std::vector<std::string>& hosts = {"zk1.example.com"},
                        const std::string& days = "2") {
    make(hosts, days);
  }

  /// Makes further certificates of this authority.
  void make(const std::vector<std::string>& hosts, const std::string& days) {
    std::vector<std::string> all{std::string(ZKLOCK_TLS_EXAMPLES) + "/make_certificates", "--days",
                                 days, folder_.path().string()};
    all.insert(all.end(), hosts.begin(), hosts.end());
    testing::child_process made({.command = all});
    if (made.wait() != 0) throw std::runtime_error("make_certificates failed");
  }

  std::string operator()(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  testing::temporary_directory folder_;
};

/// A running stunnel.
class tunnel {
 public:
  explicit tunnel(const std::string& configuration) : process_(start(configuration)) {
    wait_until([this] { return process_.has_ended() || says("Configuration successful"); });
    if (process_.has_ended()) throw std::runtime_error("stunnel has ended:\n" + log());
  }

  std::string log() const { return content_of(folder_.path() / "log"); }
  bool says(const std::string& text) const { return log().find(text) != std::string::npos; }

 private:
  testing::child_process start(const std::string& configuration) const {
    const auto file = (folder_.path() / "stunnel.conf").string();
    std::ofstream(file) << configuration;
    return testing::child_process({.command = {ZKLOCK_STUNNEL, file},
                                   .log = folder_.path() / "log",
                                   .kept_open = folder_.lifeline()});
  }

  testing::temporary_directory folder_;
  testing::child_process process_;
};

} // namespace zklock::test
