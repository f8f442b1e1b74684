#pragma once

#include "testing/child_process.hpp"

#include <filesystem>

namespace zklock::testing {

/// A new folder for temporary files. The destructor removes it.
///
/// The folder is also removed if the program is killed: after the end of the program, and of each
/// process in which the descriptor `lifeline()` is open.
///
/// Thread safety: safe.
class temporary_directory {
 public:
  /// Creates the folder. Throws `error` if that fails.
  temporary_directory();

  /// Removes the folder. Blocks for 5 seconds at most.
  ~temporary_directory();

  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  /// Returns the path of the folder.
  const std::filesystem::path& path() const { return path_; }

  /// Returns the descriptor for `child_options::kept_open` of a child that uses the folder.
  int lifeline() const;

 private:
  std::filesystem::path path_;
  child_process keeper_;
};

} // namespace zklock::testing
