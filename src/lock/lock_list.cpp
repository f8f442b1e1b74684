#include "lock/lock_list.hpp"

#include "client/lock_calls.hpp"
#include "lock/lock_access.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace zklock::detail {

namespace {

// Distinguishes ensembles that have locks of equal paths: programs mostly list the servers of an
// ensemble by equal names, though in different orders. The order of locks must not change while the
// program runs, so the list is the list that the client was made with.
std::string ensemble_of(const client_core& client) {
  std::string_view list = client.options().servers;
  list = list.substr(0, list.find('/'));
  std::vector<std::string_view> servers;
  for (;;) {
    const auto comma = list.find(',');
    servers.push_back(list.substr(0, comma));
    if (comma == list.npos) break;
    list.remove_prefix(comma + 1);
  }
  std::sort(servers.begin(), servers.end());
  std::string text;
  for (const auto each : servers) {
    text += each;
    text += ',';
  }
  return text;
}

// A sort order of locks on which all processes agree.
struct sort_key {
  explicit sort_key(const any_lock& lock)
      : path(lock_access::request_of(lock).path->full),
        kind(lock_access::request_of(lock).path->kind),
        ensemble(ensemble_of(lock_access::request_of(lock).client->core())) {}

  auto operator<=>(const sort_key&) const = default;

  std::string_view path;
  lock_kind kind;
  std::string ensemble;
};

bool are_same(const any_lock& a, const any_lock& b) noexcept {
  const auto& one = lock_access::request_of(a);
  const auto& other = lock_access::request_of(b);
  return one.client == other.client && one.path->full == other.path->full;
}

} // namespace

lock_list make_lock_list(std::vector<any_lock> locks) {
  if (locks.empty())
    throw boost::system::system_error(errc::bad_lock_list, "the list of locks is empty");
  std::vector<sort_key> keys(locks.begin(), locks.end());
  std::vector<std::size_t> order(locks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(keys[a], a) < std::tie(keys[b], b);
  });
  // Locks of a path are adjacent, but not necessarily locks of a path and a client.
  for (auto first = order.begin(); first != order.end(); ++first)
    for (auto next = first + 1; next != order.end() && keys[*first].path == keys[*next].path;
         ++next)
      if (are_same(locks[*first], locks[*next])) {
        std::string text("the lock \"");
        text.append(locks[*first].path()).append("\" is twice in the list");
        throw boost::system::system_error(errc::bad_lock_list, text);
      }
  return {std::move(locks), std::move(order)};
}

std::vector<lock_calls*> clients_of(const lock_list& list) {
  std::vector<lock_calls*> clients;
  for (const auto& each : list.locks)
    clients.push_back(lock_access::request_of(each).client.get());
  std::sort(clients.begin(), clients.end(), std::less<>());
  clients.erase(std::unique(clients.begin(), clients.end()), clients.end());
  return clients;
}

} // namespace zklock::detail
