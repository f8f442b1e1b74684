#pragma once

#include <zklock/testing/relay.hpp>

#include "kinds/kinds.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::test {

inline constexpr auto owner_secret = "owner:open sesame";

inline const access_rule all_of_creator{.scheme = "auth", .id = ""};
inline const access_rule read_of_anyone{.permissions = permission::read};

inline client_options with(const std::string& servers, std::vector<access_rule> list,
                           const std::optional<std::string>& secret) {
  auto options = options_for(servers);
  options.access = std::move(list);
  if (secret) options.credentials = {{.secret = *secret}};
  return options;
}

/// The directory above all locks is open, so that other tests can make directories in it.
struct open_root {
  open_root() { testing::raw_client(shared_server().direct_address()).create_all("/test"); }
};

/// A lock that its owner holds, and a client with another identity or none.
struct guarded_lock {
  guarded_lock(kind what, const std::vector<access_rule>& list,
               const std::optional<std::string>& other)
      : owner(context.io, with(shared_server().address(), list, owner_secret)),
        stranger(context.io, with(door.address(), {}, other)),
        lock(make(what, owner, path)),
        theirs(make(what, stranger, path)) {
    witness.add_auth("digest", owner_secret);
    held = get(lock.acquire(30s, asio::use_future));
    wait_until([&] { return stranger.connected(); });
    all = get(lock.participants(asio::use_future));
    before = nodes();
    door.reset_counts();
  }

  /// All nodes of the lock, with their versions.
  std::vector<std::string> nodes() {
    std::vector<std::string> found;
    add(path, found);
    return found;
  }

  /// Refused at once: few requests, and no time-out.
  template <class Future>
  void expect_denied(Future&& done, std::string_view operation) {
    BOOST_TEST_CONTEXT(operation) {
      BOOST_TEST((error_of(done) == errc::no_permission));
      BOOST_TEST(door.total_requests() <= 8u);
    }
    door.reset_counts();
  }

  /// The operations that change a lock.
  void expect_no_change() {
    expect_denied(theirs.acquire(30s, asio::use_future), "acquire");
    expect_denied(theirs.request_release(all.front(), asio::use_future), "request_release");
    expect_denied(theirs.break_lock(all.front(), asio::use_future), "break_lock of a participant");
    expect_denied(multi_lock(theirs).acquire(30s, asio::use_future), "acquire of a multi_lock");
    expect_denied(acquire_any({theirs}, 30s, asio::use_future), "acquire_any");
    bool is_entered = false;
    const auto body = [&]() -> asio::awaitable<void> {
      is_entered = true;
      co_return;
    };
    expect_denied(with_lock(theirs, 30s, body, asio::use_future), "with_lock");
    BOOST_TEST(!is_entered);
  }

  /// The owner has lost nothing, and nothing was left behind.
  void expect_unaffected() {
    BOOST_TEST(nodes() == before, boost::test_tools::per_element());
    BOOST_TEST(held.owns_lock());
    BOOST_TEST((held.state() == hold_state::held));
    get(held.release(asio::use_future));
    held = get(lock.acquire(30s, asio::use_future));
    BOOST_TEST(held.owns_lock());
  }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string path = fresh_path("guarded") + "/parent/lock";
  client owner, stranger;
  any_lock lock, theirs;
  hold held;
  std::vector<participant> all;
  std::vector<std::string> before;

 private:
  void add(const std::string& node, std::vector<std::string>& found) {
    witness.sync(node);
    found.push_back(node + " of version " + std::to_string(stat_of(witness, node).version));
    for (const auto& each : witness.children(node))
      add(node + '/' + each, found);
  }
};

/// A client without credentials, and a client with the credentials of another user.
inline const std::array<std::optional<std::string>, 2> strangers{std::nullopt, "stranger:secret"};

} // namespace zklock::test
