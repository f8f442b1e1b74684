#pragma once

#include "deterministic/service.hpp"
#include "garbage.hpp"
#include "testing/memory/codec.hpp"
#include "testing/memory/frames.hpp"
#include "testing/memory/watch_table.hpp"
#include "transaction.hpp"

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
  /// Not read yet; nothing: the client has closed the connection.
  std::deque<std::optional<std::string>> arrived{};
  /// When the newest of them are read, where the replica is slow.
  time_point read_until{};
};

} // namespace deterministic::servers
