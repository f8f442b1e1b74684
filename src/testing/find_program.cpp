#include "testing/find_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace zklock::testing {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path program = fs::path(folder) / name; is_program(program))
      return fs::absolute(program);
  return {};
}

} // namespace zklock::testing
