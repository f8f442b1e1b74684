#include "temporary_directory.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;

void check(int code, const char* action) {
  if (code != 0) throw std::system_error(code, std::generic_category(), action);
}

// Reads until nobody has the other end of the pipe any more, and then removes the folder. In a
// process group of its own: Ctrl-C must not end it.
pid_t start_keeper(const fs::path& folder, int read_end, int write_end) {
  std::string path = folder.string();
  std::string words[] = {"sh", "-c", "while read -r line; do :; done; rm -rf -- \"$1\"", "sh",
                         path};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, read_end, STDIN_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, write_end);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t id = 0;
  const int failed = ::posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  check(failed, "cannot start /bin/sh");
  return id;
}

} // namespace

temporary_directory::temporary_directory() {
  std::string name = (fs::temp_directory_path() / "zklock-example-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) check(errno, "cannot make a temporary folder");
  path_ = name;

  int ends[2];
  check(::pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
  keeper_ = start_keeper(path_, ends[0], ends[1]);
  ::close(ends[0]);
  // From now on children inherit it: nothing is removed under a process that still writes.
  lifeline_ = ends[1];
  ::fcntl(lifeline_, F_SETFD, 0);
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lifeline_);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {}
}
