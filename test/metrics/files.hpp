#pragma once

#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test {

namespace json = boost::json;

/// Returns the contents of a file; `name` is a path, absolute or below the folder of the project.
inline std::string file_contents(const std::filesystem::path& name) {
  std::ifstream file(std::filesystem::path(SOURCE) / name);
  if (!file) throw std::runtime_error("cannot read " + name.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline json::value dashboard() {
  return json::parse(file_contents("share/grafana/zklock.json"));
}

inline std::string string_of(const json::value& value) {
  return json::value_to<std::string>(value);
}

/// The exit status of a program, and its output.
struct tool_result {
  int status;
  std::string output;
};

/// Runs a command in a folder of its own, for 30 seconds at most. The folder has a file "input".
inline tool_result run_tool(std::vector<std::string> command, const std::string& input = {}) {
  const testing::temporary_directory folder;
  std::ofstream(folder.path() / "input") << input;
  const auto log = folder.path() / "log";
  testing::child_process tool({.command = std::move(command), .folder = folder.path(), .log = log});
  if (!tool.wait_for_end(std::chrono::seconds(30))) throw std::runtime_error("a tool hangs");
  return {tool.wait(), file_contents(log)};
}

} // namespace zklock::test
