#pragma once

#include "zookeeper/address_round.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/retry_delay.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// Opens a connection at a time, until the session uses the connection.
///
/// A round tries all known addresses in turn. The names of the servers are resolved meanwhile. A
/// new address is tried next, or at once if no attempt is running. A delay with back-off precedes
/// each further round.
///
/// A new list of servers begins a round, unless the address of the attempt is in the list. A
/// connection that is used stays until no outstanding look-up can find its address.
class connector {
 public:
  /// Called on the strand.
  class owner {
   public:
    virtual void on_round_begins() = 0;
    virtual std::unique_ptr<handle> make_handle(const endpoint& address) = 0;
    /// Each address of the round has failed.
    virtual void on_round_over() = 0;
    /// The server of the connection that is used is not in the list of servers any more. Must
    /// `release` the connection.
    virtual void on_unlisted() = 0;
    virtual std::chrono::milliseconds session_timeout() const noexcept = 0;

   protected:
    ~owner() = default;
  };

  connector(const strand& executor, const std::vector<server_address>& servers, logger& log,
            owner& by, connection::listener& listener);

  /// Must be called first. `self` points to this object. Handlers do nothing after it has expired,
  /// and keep the object alive while they run.
  void attach(const std::shared_ptr<connector>& self);

  /// Begins a round, now or after a delay.
  void begin_round();
  void retry();

  /// Replaces the list of servers.
  void set_servers(const std::vector<server_address>& servers);

  /// Tries the next address of the round.
  void try_next();
  /// Begins a round for another session: at once, or after a delay.
  void replace() { delay_.may_replace() ? begin_round() : retry(); }

  /// Ends everything. The owner and the listener are not called any more.
  void stop() noexcept;

  connection& link() noexcept { return connection_; }
  handle* open_handle() const noexcept { return connection_.open_handle(); }

  /// The address of the connection, or of the last attempt.
  const endpoint& address() const noexcept { return round_.current(); }
  /// As `resolver::hosts_of`, for that address.
  std::vector<std::string> hosts() const { return resolver_.hosts_of(address()); }
  /// The result of the last connection or attempt.
  errc error() const noexcept { return round_.error(); }
  /// Whether no retry can help: every server is known, and unusable. Servers may differ in their
  /// settings, and a name may not be resolved yet.
  bool is_hopeless() const noexcept {
    return round_.is_unusable_throughout() && resolver_.knows_all();
  }

  /// The session uses the connection from now on.
  void use() noexcept;
  bool is_used() const noexcept { return used_since_.has_value(); }
  /// Whether the connection was used for a while. A shorter connection counts as a failed attempt.
  bool is_stable() const noexcept;
  /// The session does not use the connection any more. Returns whether it did.
  bool end_use() noexcept;

  void failed(loss how) noexcept { round_.failed(how); }
  void turned_away() noexcept { delay_.turned_away(); }

 private:
  void on_resolved(const std::vector<endpoint>& found);
  void go_on();
  void look_for_server();
  void leave_unlisted();
  std::chrono::milliseconds attempt_limit() const;

  owner& owner_;
  std::weak_ptr<connector> self_;
  resolver resolver_;
  address_round round_;
  connection connection_;
  waitable_timer retry_timer_;
  std::minstd_rand random_;
  retry_delay delay_;
  std::optional<std::chrono::steady_clock::time_point> used_since_;
  // False while no known address of a new list is the address of the connection that is used.
  bool is_listed_ = true;
  bool stopped_ = false;
};

} // namespace zklock::zookeeper
