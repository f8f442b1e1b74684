#include "testing/temporary_directory.hpp"

#include "testing/child_process_impl.hpp"

#include <cstdlib>

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;

fs::path make_directory() {
  // The keeper has another working directory.
  const auto parent = fs::absolute(fs::temp_directory_path());
  std::string name = (parent / "zklock-testing-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw_system_error("cannot create the folder " + name);
  return name;
}

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

/// Starts a shell that removes the folder at the end of its standard input: a killed program runs
/// no destructors.
child_process start_keeper(const fs::path& folder) {
  try {
    return child_process(
        {.command = {"/bin/sh", "-c", "while read -r line; do :; done; rm -rf -- \"$1\"", "sh",
                     folder.string()},
         .folder = "/",
         .piped = true,
         .log = "/dev/null",
         .dies_with_parent = false});
  } catch (...) {
    remove_folder(folder);
    throw;
  }
}

} // namespace

temporary_directory::temporary_directory()
    : path_(make_directory()), keeper_(start_keeper(path_)) {}

temporary_directory::~temporary_directory() {
  remove_folder(path_);
  // The shell removes the files that another process may still have written.
  keeper_.close_input();
  keeper_.wait_for_end(std::chrono::seconds(5));
}

int temporary_directory::lifeline() const {
  return keeper_.impl_->socket();
}

} // namespace zklock::testing
