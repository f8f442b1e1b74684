#include "testing/temporary_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;

fs::path make_directory() {
  std::string name = (fs::temp_directory_path() / "zklock-testing-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw_system_error("cannot make the folder " + name);
  return name;
}

} // namespace

temporary_directory::temporary_directory() : path_(make_directory()) {
  try {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_system_error("cannot make a pipe");
    lifeline_ = ends[1];
    try {
      keeper_.emplace(child_options{.command = {"/bin/sh", "-c",
                                                "while read -r line; do :; done; rm -rf -- \"$1\"",
                                                "sh", path_.string()},
                                    .folder = "/",
                                    .output = "/dev/null",
                                    .input = ends[0],
                                    .dies_with_parent = false});
    } catch (...) {
      ::close(ends[0]);
      ::close(ends[1]);
      throw;
    }
    ::close(ends[0]);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    throw;
  }
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  // It ends by itself then, and has nothing left to remove.
  ::close(lifeline_);
  keeper_->wait_for_end(std::chrono::seconds(5));
}

} // namespace zklock::testing
