#pragma once

#include <zklock/testing/relay.hpp>

#include "support/world.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::test {

/// The progress of an acquire.
enum class phase {
  /// Nothing listens at the address.
  not_connected,
  /// The server has not answered yet.
  connecting,
  /// The node is created, and the client does not know it yet.
  creating,
  /// As `creating`, and the connection is lost.
  unsure,
  /// The node is created, and its predecessors are not known yet.
  listing,
  /// An entry of this client holds the lock.
  behind_own,
  /// Another client holds the lock.
  behind_foreign,
};

inline constexpr std::array all_phases{phase::not_connected, phase::connecting, phase::creating,
                                       phase::unsure,        phase::listing,    phase::behind_own,
                                       phase::behind_foreign};

inline constexpr std::array<std::string_view, all_phases.size()> phase_names{
    "not connected", "connecting", "creating", "unsure", "listing", "behind own", "behind foreign"};

/// A client, a lock, and a way to keep an acquire from passing a phase. In order: `prepare`, then
/// start the acquire, `reach`, act on it, `let_go`, `expect_nothing_left`.
class phase_scene {
 public:
  phase_scene(asio::io_context& io, phase stage, std::chrono::milliseconds session_timeout = 6s)
      : stage_(stage), options_(options_for(door_.address(), session_timeout)) {
    options_.log = [failures = failures_](log_level, std::string_view line) {
      *failures += line.starts_with("could not connect");
    };
    options_.connect_timeout = 500ms;
    if (stage == phase::not_connected) door_.refuse();
    if (stage == phase::connecting) door_.silence();
    zk = std::make_shared<client>(io, options_);
  }

  /// Prepares for an acquire that reaches the phase and does not pass it.
  asio::awaitable<void> prepare() {
    if (!starts_connected()) co_return;
    mutex first(*zk, path + "-first");
    const hold connected = co_await first.acquire(30s);
    if (stage_ == phase::behind_own) {
      mutex lock(*zk, path);
      own_ = co_await lock.acquire(30s);
    } else if (stage_ == phase::behind_foreign) {
      witness_.create_all(path);
      foreign_ = witness_.create(path + "/_c_21b80b3c-9b67-4dd5-8ea1-e1b4e3bba0ae-lock-", {},
                                 testing::create_mode::ephemeral_sequential);
    } else {
      // The very first entry needs no list.
      witness_.create_all(path);
      witness_.remove(
          witness_.create(path + "/a-lock-", {}, testing::create_mode::persistent_sequential));
      held_back_ = testing::relay_hooks(door_).when(
          testing::direction::to_client,
          [kind = held_back()](const testing::frame& each) {
            return each.kind == kind && each.error == 0;
          },
          testing::reaction::silence_before);
    }
  }

  /// Waits until the acquire has reached the phase.
  asio::awaitable<void> reach() {
    const auto there = [this] { return reached(); };
    co_await eventually(there);
    if (stage_ != phase::unsure) co_return;
    door_.refuse();
    const auto noticed = [this] { return !zk->connected(); };
    co_await eventually(noticed);
  }

  /// Lets the acquire leave its phase.
  void let_go() {
    door_.heal();
    own_ = hold();
    if (!foreign_.empty()) witness_.remove(std::exchange(foreign_, {}));
  }

  /// Ends the phases that concern the connection.
  void heal() { door_.heal(); }

  /// Waits until no node of the lock is left, except the nodes that other waiters need. Checks that
  /// watches exist only on nodes that exist.
  asio::awaitable<void> expect_nothing_left() {
    const std::size_t others = own_.owns_lock() + !foreign_.empty();
    co_await wait_for_entries(witness_, path, others);
    for (const auto& each : watched())
      if (!witness_.exists(each)) BOOST_ERROR("a watch was left on " + each);
  }

  /// Checks that the client still works, and that nothing is left of the lock then.
  asio::awaitable<void> expect_usable() {
    mutex lock(*zk, path);
    hold held = co_await lock.acquire(30s);
    // Without a connection nothing can have been created before.
    if (!starts_connected()) BOOST_TEST(held.node().ends_with("-lock-0000000000"));
    co_await held.release();
    co_await expect_nothing_left();
  }

  bool starts_connected() const {
    return stage_ != phase::not_connected && stage_ != phase::connecting;
  }

  /// Whether the client sees itself as connected in this phase.
  bool seems_connected() const { return starts_connected() && stage_ != phase::unsure; }

  /// Whether the servers have confirmed an entry in this phase.
  bool is_in_line() const { return seems_connected() && stage_ != phase::creating; }

  std::shared_ptr<client> zk;
  const std::string path = fresh_path();

 private:
  testing::operation held_back() const {
    return stage_ == phase::listing ? testing::operation::get_children2
                                    : testing::operation::create2;
  }

  bool reached() {
    switch (stage_) {
    case phase::not_connected:
      return *failures_ != 0;
    case phase::connecting:
      return door_.connections() != 0;
    case phase::creating:
    case phase::unsure:
    case phase::listing:
      return held_back_->fired();
    case phase::behind_own:
      return entries(witness_, path) == 2;
    case phase::behind_foreign:
      return watched() == std::vector{foreign_};
    }
    return false;
  }

  // The watched nodes of the lock, and its directory where that does not exist.
  std::vector<std::string> watched() {
    std::vector<std::string> found;
    std::string_view answer = listing_ = shared_server().four_letter_word("wchp");
    while (!answer.empty()) {
      const auto line = answer.substr(0, answer.find('\n'));
      answer.remove_prefix(std::min(line.size() + 1, answer.size()));
      if (line.starts_with(path + "/")) found.emplace_back(line);
    }
    return found;
  }

  const phase stage_;
  testing::relay door_{shared_server().direct_address()};
  testing::raw_client witness_{shared_server().direct_address()};
  std::shared_ptr<int> failures_ = std::make_shared<int>(0);
  client_options options_;
  std::optional<testing::hook> held_back_;
  std::string listing_;
  hold own_;
  std::string foreign_;
};

} // namespace zklock::test
