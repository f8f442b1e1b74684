#include "client/options.hpp"

#include <zklock/error.hpp>

#include "client/check_timing.hpp"
#include "client/client_core.hpp"
#include "client/identity.hpp"
#include "client/transaction_size.hpp"
#include "support/default_log.hpp"
#include "zookeeper/path_check.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/system/system_error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace zklock::detail {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw boost::system::system_error(errc::bad_option, what);
}

void check_range(const char* name, std::int64_t value, std::int64_t least, std::int64_t most,
                 const char* unit) {
  if (value < least || value > most)
    refuse("invalid " + std::string(name) + " " + std::to_string(value) + unit + ": must be from " +
           std::to_string(least) + " to " + std::to_string(most));
}

std::string in_milliseconds(std::chrono::milliseconds time) {
  return std::to_string(time.count()) + " ms";
}

// Schemes of access lists and of credentials.
constexpr std::size_t longest_access = 65536;

// Of a rule or a credential. No message has the texts of either: a secret may be in the wrong
// place.
std::string nth(const char* option, std::size_t index) {
  return "invalid " + std::string(option) + "[" + std::to_string(index) + "]";
}

// Servers close the connection at a request of 1 MiB, without a reply.
void check_credential(const credential& c, std::size_t index) {
  const auto which = nth("credentials", index);
  if (c.scheme.empty()) refuse(which + ": the scheme must not be empty");
  const auto size = c.scheme.size() + c.secret.size();
  if (size > longest_access)
    refuse(which + " of " + std::to_string(size) + " bytes: must not be longer than " +
           std::to_string(longest_access));
  if (c.scheme != "digest") return;
  if (c.secret.find(':') == c.secret.npos) refuse(which + ": a digest must be user:password");
  // As a rule the line end of the file that has the secret: the line end would be part of the
  // password.
  if (c.secret.find_first_of("\r\n") != c.secret.npos)
    refuse(which + ": a digest must not have a line end");
}

// A scheme that is not ZooKeeper's own is known if a credential has it.
bool is_known(const std::string& scheme, const client_options& options) {
  constexpr std::array known{"world", "auth", "digest", "ip", "x509", "sasl"};
  return std::ranges::find(known, scheme) != known.end() ||
         std::ranges::find(options.credentials, scheme, &credential::scheme) !=
             options.credentials.end();
}

// The servers would refuse every create.
void check_rule(const client_options& options, std::size_t index) {
  const auto& rule = options.access[index];
  const auto which = nth("access", index);
  const auto bits = static_cast<unsigned>(rule.permissions);
  if (bits == 0 || bits > static_cast<unsigned>(permission::all))
    refuse(which + ": the permissions " + std::to_string(bits) + " must be from 1 to 31");
  if (!is_known(rule.scheme, options))
    refuse(which + ": the scheme must be world, auth, digest, ip, x509, sasl, or that of a "
                   "credential");
  if (rule.scheme == "world" && rule.id != "anyone")
    refuse(which + ": the id of the scheme world must be anyone");
  if (rule.scheme == "digest" && rule.id.find(':') == rule.id.npos)
    refuse(which + ": the id of the scheme digest must be user:hash");
  if (rule.scheme != "auth" && rule.id.empty())
    refuse(which + ": the id must not be empty, except for the scheme auth");
}

constexpr std::int64_t most_milliseconds = std::numeric_limits<std::int32_t>::max();

std::string default_identity() {
  boost::system::error_code ignored;
  return boost::asio::ip::host_name(ignored) + ":" + std::to_string(::getpid());
}

} // namespace

std::string find_shortcoming(std::chrono::milliseconds check_interval,
                             std::chrono::milliseconds server_tick,
                             std::chrono::milliseconds timeout) {
  const check_timing timing(check_interval, server_tick);
  if (timing.suffices(timeout)) return {};
  const auto with = " with a server_tick of " + in_milliseconds(server_tick);
  if (timeout < 2 * server_tick)
    return "invalid session_timeout " + in_milliseconds(timeout) + ": must be at least " +
           in_milliseconds(2 * server_tick) + with;
  return "invalid check_interval " + in_milliseconds(check_interval) + ": must be at most " +
         in_milliseconds(timing.longest_interval(timeout)) + " for a session_timeout of " +
         in_milliseconds(timeout) + with;
}

client_options checked_options(client_options options) {
  check_range("session_timeout", options.session_timeout.count(), 1, most_milliseconds, " ms");
  options.session_timeout = std::min(options.session_timeout, zookeeper::longest_timeout);
  check_range("server_tick", options.server_tick.count(), 1, 60'000, " ms");
  check_range("check_interval", options.check_interval.count(), 0, most_milliseconds, " ms");
  check_range("connect_timeout", options.connect_timeout.count(), 1, most_milliseconds, " ms");
  check_range("max_entries_per_lock", static_cast<std::int64_t>(options.max_entries_per_lock), 1,
              1000, "");
  check_range("local_handoffs", options.local_handoffs, 0, 1'000'000, "");
  if (options.lock_cache)
    check_range("lock_cache.idle_limit", options.lock_cache->idle_limit.count(), 1,
                options.session_timeout.count(), " ms");
  check_range("max_path_bytes", static_cast<std::int64_t>(options.max_path_bytes), 4 * 1024,
              900 * 1024, " bytes");
  if (const auto why =
          find_shortcoming(options.check_interval, options.server_tick, options.session_timeout);
      !why.empty())
    refuse(why);
  if (options.identity.empty()) options.identity = default_identity();
  if (const auto fault = fault_of_identity(options.identity); !fault.empty()) refuse(fault);
  if (!options.log)
    options.log = [identity = options.identity](log_level level, std::string_view line) {
      log_to_standard_error(level, line, identity);
    };
  for (std::size_t i = 0; i < options.credentials.size(); ++i)
    check_credential(options.credentials[i], i);
  for (std::size_t i = 0; i < options.access.size(); ++i)
    check_rule(options, i);
  // Every create carries the identity, and servers close the connection at a request of 1 MiB.
  if (access_bytes(options) > longest_access)
    refuse("invalid access of " + std::to_string(access_bytes(options)) +
           " bytes: must not be longer than " + std::to_string(longest_access));
  return options;
}

zookeeper::session_options session_options_of(const client_options& options,
                                              std::vector<zookeeper::server_address> servers,
                                              log_function log) {
  zookeeper::session_options result{.servers = std::move(servers),
                                    .timeout = options.session_timeout,
                                    .server_tick = options.server_tick,
                                    .credentials = {},
                                    .access_list = {},
                                    .log = std::move(log)};
  // Connections have copies of this function: it must not own the program's objects.
  result.refuse_timeout = [interval = options.check_interval,
                           tick = options.server_tick](std::chrono::milliseconds timeout) {
    return find_shortcoming(interval, tick, timeout);
  };
  for (const auto& c : options.credentials)
    result.credentials.push_back({c.scheme, c.secret});
  for (const auto& rule : options.access)
    result.access_list.push_back({static_cast<int>(rule.permissions), rule.scheme, rule.id});
  if (result.access_list.empty()) {
    const access_rule open;
    result.access_list.push_back({static_cast<int>(open.permissions), open.scheme, open.id});
  }
  return result;
}

std::shared_ptr<zookeeper::rotating_tls> take_tls(client_options& options) {
  auto given = std::exchange(options.tls, std::nullopt);
  if (!given) return nullptr;
  if (given->provider)
    given->provider = [provider = std::move(given->provider)] {
      const in_call_of_user_scope inside;
      return provider();
    };
  return std::make_shared<zookeeper::rotating_tls>(*std::move(given));
}

} // namespace zklock::detail
