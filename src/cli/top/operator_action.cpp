#include "cli/top/operator_action.hpp"

#include "cli/lock_text.hpp"
#include "cli/text.hpp"

#include <boost/system/system_error.hpp>

#include <cstddef>

namespace zklock::cli {

namespace {

boost::asio::awaitable<std::string> ask_for_release(client& zk, const chosen& target) {
  co_await lock_of(zk, target.path, target.type).request_release(target.one);
  co_return "asked " + describe(target.one);
}

boost::asio::awaitable<std::string> delete_entry(client& zk, const chosen& target) {
  const auto count = co_await lock_of(zk, target.path, target.type).break_lock(target.one);
  co_return (count == 0 ? "was gone: " : "deleted ") + describe(target.one);
}

} // namespace

std::vector<chosen> holders_of(const found_lock& lock) {
  std::vector<chosen> all;
  for (const auto& each : lock.participants)
    if (each.is_holder) all.push_back({lock.path, lock.type, each});
  return all;
}

std::vector<std::string> question_for(const operator_action& action) {
  std::vector<std::string> lines{"Break " + printable(action.targets.front().path) + "?"};
  for (const auto& each : action.targets)
    lines.push_back("holds  " + describe(each.one));
  lines.emplace_back("Delete? The holder does not stop by that. [y/N]");
  return lines;
}

boost::asio::awaitable<std::string> perform(client& zk, operator_action action) {
  const bool asks = action.what == operator_action::kind::ask;
  const auto targets = asks ? requests_of(std::move(action.targets)) : std::move(action.targets);
  std::string last;
  std::string problem;
  std::size_t done = 0;
  for (const auto& each : targets) {
    try {
      // gcc 12 loses the result of an await inside a conditional expression.
      if (asks)
        last = co_await ask_for_release(zk, each);
      else
        last = co_await delete_entry(zk, each);
      ++done;
    } catch (const boost::system::system_error& e) {
      problem = "cannot " + std::string(asks ? "ask " : "delete ") + describe(each.one) + ": " +
                e.code().message();
    }
  }
  if (!problem.empty()) co_return problem;
  co_return done == 1 ? last : last + " and " + std::to_string(done - 1) + " more";
}

} // namespace zklock::cli
