#pragma once

#include <zklock/client.hpp>

#include "cli/one_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace zklock::cli {

/// An action of the operator on the holders of a lock in `zklock top`.
struct operator_action {
  enum class kind : std::uint8_t { ask, break_lock };

  kind what = kind::ask;
  std::vector<chosen> targets{};
};

/// Returns the holders in a look at a lock.
std::vector<chosen> holders_of(const found_lock& lock);

/// Returns the lines of the question to ask before an action that breaks a lock. They name each
/// znode and its identity.
std::vector<std::string> question_for(const operator_action& action);

/// Performs an action, and returns a line that tells the result, also of a failure.
boost::asio::awaitable<std::string> perform(client& zk, operator_action action);

} // namespace zklock::cli
