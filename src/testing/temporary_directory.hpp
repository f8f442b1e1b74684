#pragma once

#include "testing/child_process.hpp"

#include <filesystem>
#include <optional>

namespace zklock::testing {

/// A new folder for temporary files, removed by the destructor.
///
/// A program that is killed runs no destructors. So a small shell waits at the end of a pipe whose
/// other end is open here, and in every server that uses the folder; when all of them are gone,
/// the pipe ends and the shell removes the folder.
class temporary_directory {
 public:
  temporary_directory();
  ~temporary_directory();
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// The pipe's end: to be left open in servers.
  int lifeline() const { return lifeline_; }

 private:
  std::filesystem::path path_;
  int lifeline_ = -1;
  std::optional<child_process> keeper_;
};

} // namespace zklock::testing
