#pragma once

#include "client/requester.hpp"
#include "client/watch_registry.hpp"
#include "conduct.hpp"
#include "world.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace simulation {

/// A client's session with the simulated servers: translates the requests of drivers to requests of
/// the simulation, and the replies back.
class simulated_requester final : public zklock::detail::requester {
 public:
  /// `give` gets the requests in their order.
  simulated_requester(world& world, std::function<void(request)> give) noexcept;

  void send(zklock::zookeeper::request what, zklock::zookeeper::receiver& to) override {
    send(what, to, {});
  }
  /// Sends a request that is not of a driver.
  void send(const zklock::zookeeper::request& what, zklock::zookeeper::receiver& to,
            zklock::zookeeper::request_tag tag);
  void remove_watch(const std::string& path, zklock::zookeeper::watch_kind kind) override;
  bool proven() noexcept override;
  void when_proven(zklock::detail::lock_driver& waiting) override;
  std::int64_t ephemeral_owner() const noexcept override {
    return static_cast<std::int64_t>(session_);
  }
  zklock::queue::session_token token() const noexcept override { return token_; }
  entry_id& last_entry() noexcept override { return last_entry_; }
  zklock::detail::watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override { return identity_; }
  bool containers() const noexcept override { return true; }
  void log_error(const std::string&) override {}

  /// Passes a reply to the receiver of its request.
  void deliver(const reply& reply);

  /// A new session has begun; 0: it has ended. `caches`: the client caches entries.
  void begin_session(session_id session, bool caches);
  session_id session() const noexcept { return session_; }

  /// The last result of `proven`.
  bool was_proven() const noexcept { return was_proven_; }

 private:
  struct translation;

  world& world_;
  const std::function<void(request)> give_;
  const std::string identity_ = common_identity;
  session_id session_ = 0;
  zklock::queue::session_token token_;
  entry_id last_entry_ = 0;
  zklock::detail::watch_registry watches_;
  bool confirmed_ = false;
  bool was_proven_ = false;
};

} // namespace simulation
