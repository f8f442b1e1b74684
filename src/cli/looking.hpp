#pragma once

#include <string>
#include <vector>

namespace zklock::cli {

// The subcommands that look at locks and act on them without holding them.

/// `zklock ls`: lists the locks below a path.
int ls(const std::vector<std::string>& arguments);

/// `zklock show`: lists the holders and the waiters of a lock.
int show(const std::vector<std::string>& arguments);

/// `zklock top`: shows the locks below a path while they change.
int top(const std::vector<std::string>& arguments);

/// `zklock ask`: asks the holders of a lock to release it.
int ask(const std::vector<std::string>& arguments);

/// `zklock break`: deletes the entries of the holders of a lock.
int break_lock(const std::vector<std::string>& arguments);

/// `zklock deadlocks`: finds clients that wait for each other.
int deadlocks(const std::vector<std::string>& arguments);

/// `zklock doctor`: checks the servers, and whether the settings of a client suit them.
int doctor(const std::vector<std::string>& arguments);

} // namespace zklock::cli
