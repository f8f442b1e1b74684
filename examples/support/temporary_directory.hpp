#pragma once

#include "child_process.hpp"

#include <sys/types.h>

#include <filesystem>

/// A new folder that goes with this object, and also when the program is killed: once it and every
/// `child_process` that it has started since are gone.
class temporary_directory {
 public:
  temporary_directory();
  ~temporary_directory();

  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lifeline_ = -1;
  pid_t keeper_ = 0;
};
