#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/hook.hpp"
#include "testing/loopback_listener.hpp"
#include "testing/relay_counts.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

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

/// Changes the first bytes to the server. It is called with all bytes so far until it returns true.
/// Nothing is forwarded before.
using opening_filter = std::function<bool(std::string& opening)>;

/// The options of the links between servers.
struct link_options {
  opening_filter filter{};

  /// The time for which the relay retries to connect to the target. A new leader starts to listen a
  /// moment after its followers start to connect. They retry after a refusal, but not after the
  /// loss of a connection, and a relay cannot refuse a single connection.
  std::chrono::milliseconds connect_limit{0};
};

/// The implementation of a relay. All functions must be called on the relays' thread, except the
/// constructor, `counts` and `port`.
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

  std::uint16_t port() const { return listener_.port(); }
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
  bool has_frames() const { return frames_; }
  void closed(const std::shared_ptr<relay_connection>& one);

 private:
  static std::size_t index(direction way) { return static_cast<std::size_t>(way); }
  void add(boost::asio::ip::tcp::socket client);

  boost::asio::ip::tcp::endpoint target_;
  bool frames_;
  link_options link_;
  loopback_listener listener_;
  relay_counts counts_;
  std::array<bool, 2> silent_{};
  std::array<clock::duration, 2> delay_{};
  std::vector<std::shared_ptr<hook::state>> hooks_;
  std::set<std::shared_ptr<relay_connection>> connections_;
  std::uint64_t last_number_ = 0;
};

} // namespace zklock::testing
