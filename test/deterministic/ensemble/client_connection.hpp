#pragma once

#include "deterministic/service.hpp"
#include "garbage.hpp"
#include "testing/memory/codec.hpp"
#include "testing/memory/frames.hpp"
#include "testing/memory/watch_table.hpp"
#include "transaction.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace deterministic::servers {

/// A replica's end of a client's connection.
struct client_connection {
  enum class state { new_, beginning, open, silent, closed };

  client_connection(memory::connection_id n, std::shared_ptr<server_end> to, garbler& wrong)
      : number(n), end(std::move(to)), garbage(wrong) {}

  /// A request has its reply. A reply is late after a quarter of the session timeout.
  void answered(time_point at) noexcept;
  /// Whether `at` is too late for a reply to a request that arrived at `since`.
  bool is_late(time_point since, time_point at) const noexcept {
    return at - since > std::chrono::milliseconds(timeout) / 4;
  }
  /// Whether a reply is late.
  bool is_late(time_point at) const noexcept {
    return !asked.empty() && is_late(asked.front(), at);
  }
  bool is_closed() const noexcept { return now == state::closed || now == state::silent; }
  void send(std::string frame);
  /// Nothing is read or sent any more.
  void close();
  void reset();
  /// The machine is off: the client hears nothing until the connection is reset.
  void fall_silent() noexcept { now = is_closed() ? now : state::silent; }

  const memory::connection_id number;
  std::shared_ptr<server_end> end;
  garbler& garbage;
  state now = state::new_;
  memory::frame_splitter input{};
  memory::session_info session{};
  /// The negotiated session timeout.
  std::int32_t timeout = 0;
  memory::connect_request connect{};
  /// Requests without a reply.
  std::size_t outstanding = 0;
  /// Reading waits for other requests, or for the table of touched sessions.
  bool is_throttled = false;
  bool is_stalled = false;
  struct arrival {
    time_point at;
    /// Nothing: the connection has ended.
    std::optional<std::string> bytes;
    /// The client has ended it, without a fault of the network.
    bool left = false;
  };
  /// Not read yet.
  std::deque<arrival> arrived{};
  /// When the bytes that are read at the moment arrived.
  time_point reads_of{};
  /// When the requests arrived that have no reply yet.
  std::deque<time_point> asked{};
  /// All replies were right and in time.
  bool is_blameless = true;
  /// The client was sent the list of its nodes.
  bool has_listed_own = false;
  /// How many requests have their replies.
  std::uint64_t replies = 0;
  /// When the newest of them are read, where the replica is slow.
  time_point read_until{};
};

} // namespace deterministic::servers
