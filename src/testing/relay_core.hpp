#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/hook_state.hpp"
#include "testing/port_reservation.hpp"
#include "testing/relay_counts.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace zklock::testing {

class relay_connection;

/// Rewrites the first bytes that go to the server. It is called with all that came so far until it
/// returns true; nothing is passed on before.
using opening_filter = std::function<bool(std::string& opening)>;

/// What only the links between servers need.
struct link_options {
  opening_filter filter{};

  /// How long to go on trying to reach the target. A server that is about to lead begins to listen
  /// a moment after its followers have been told to connect. They can live with being refused,
  /// which a relay cannot do for a single connection, and not with losing a connection that was
  /// made.
  std::chrono::milliseconds patience{0};
};

/// A relay. All functions are called on the relays' thread, except the constructor, `counts` and
/// `port`.
class relay_core : public std::enable_shared_from_this<relay_core> {
 public:
  using clock = std::chrono::steady_clock;

  relay_core(boost::asio::io_context& context, boost::asio::ip::tcp::endpoint target,
             relay_options options, link_options link = {});
  ~relay_core();

  void open();
  void shut();
  void cut();
  void silence(direction way);
  void delay(direction way, clock::duration time) { delay_[index(way)] = time; }
  void heal();
  void add_hook(std::shared_ptr<hook::state> added) { hooks_.push_back(std::move(added)); }

  std::uint16_t port() const { return reservation_.port(); }
  relay_counts& counts() { return counts_; }

  // For connections.
  struct decision {
    reaction what = reaction::observe;
    std::vector<std::shared_ptr<hook::state>> hooks;
  };
  decision decide(const frame& one);
  bool is_silent(direction way) const { return silent_[index(way)]; }
  clock::duration delay(direction way) const { return delay_[index(way)]; }
  const boost::asio::ip::tcp::endpoint& target() const { return target_; }
  const link_options& link() const { return link_; }
  bool knows_frames() const { return frames_; }
  void closed(const std::shared_ptr<relay_connection>& one);

 private:
  static std::size_t index(direction way) { return static_cast<std::size_t>(way); }
  void accept();

  boost::asio::ip::tcp::endpoint target_;
  bool frames_;
  link_options link_;
  port_reservation reservation_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  relay_counts counts_;
  std::array<bool, 2> silent_{};
  std::array<clock::duration, 2> delay_{};
  std::vector<std::shared_ptr<hook::state>> hooks_;
  std::set<std::shared_ptr<relay_connection>> connections_;
  std::uint64_t last_number_ = 0;
};

} // namespace zklock::testing
