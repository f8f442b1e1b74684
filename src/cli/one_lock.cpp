#include "cli/one_lock.hpp"

#include "cli/failure.hpp"
#include "cli/lock_text.hpp"
#include "cli/text.hpp"

#include <set>
#include <utility>

namespace zklock::cli {

namespace asio = boost::asio;

asio::awaitable<std::vector<found_lock>> find_at(client& zk, std::string path, if_missing then) {
  auto found = co_await search(zk, path, then, 0);
  for (const auto& each : found)
    if (each.error && each.participants.empty())
      throw failure(exit_code_of(each.error),
                    "cannot read " + printable(each.path) + ": " + each.error.message());
  std::erase_if(found, [](const found_lock& each) { return each.participants.empty(); });
  co_return found;
}

asio::awaitable<std::vector<chosen>> choose(client& zk, std::string path, std::string node) {
  std::vector<chosen> all;
  for (const auto& each : co_await find_at(zk, path, if_missing::ignore))
    for (const auto& one : each.participants)
      if (node.empty() ? one.is_holder : one.node == node || node_name(one) == node)
        all.push_back({each.path, each.type, one});
  if (all.empty())
    throw failure(exit_code::conflict, node.empty() ? "nothing holds " + printable(path)
                                                    : "nothing at " + printable(path) +
                                                          " has the node " + printable(node));
  co_return all;
}

std::vector<chosen> requests_of(std::vector<chosen> all) {
  // Permits that are taken together are created by a single transaction.
  std::set<std::pair<std::int64_t, std::int64_t>> asked;
  std::erase_if(all, [&asked](const chosen& each) {
    const auto& one = each.one;
    return one.role == participant_role::permit &&
           !asked.emplace(one.session_id, one.token.transaction()).second;
  });
  return all;
}

} // namespace zklock::cli
