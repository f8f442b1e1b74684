#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/child_process.hpp>

#include <filesystem>

namespace zklock::testing {

/// A new folder for temporary files, removed by the destructor.
///
/// The folder is also removed when the program is killed: once the program is gone, and with it
/// every process in which the descriptor `lifeline()` was kept open.
class ZKLOCK_EXPORT temporary_directory {
 public:
  /// Makes the folder. Throws `error` when that fails.
  temporary_directory();

  ~temporary_directory();

  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  /// Returns where it is.
  const std::filesystem::path& path() const { return path_; }

  /// Returns a descriptor for `child_options::kept_open`: in a child that uses the folder.
  int lifeline() const;

 private:
  std::filesystem::path path_;
  child_process keeper_;
};

} // namespace zklock::testing
