#pragma once

#include "queue/entry_name.hpp"
#include "queue/lock_policy.hpp"
#include "support/description.hpp"

#include <cstdint>

namespace zklock::queue {

/// The connection of a queue, and the creates and lists on it. The order of creates and lists tells
/// which lists show an entry.
///
/// Invariant: while the connection recovers, `can_send` is false: a list settles the requests in
/// flight of the lost connection first, and shows which entries are in line.
class channel {
 public:
  void connected(session_token token, bool recovers) noexcept {
    token_ = token;
    connection_ = recovers ? connection::recovering : connection::ready;
  }
  void disconnected() noexcept {
    connection_ = connection::none;
    is_listing_ = false;
    creating_ = {};
  }
  /// The token in the names of our entries.
  session_token token() const noexcept { return token_; }
  bool is_recovering() const noexcept { return connection_ == connection::recovering; }
  void end_recovery() noexcept { connection_ = connection::ready; }
  bool can_send() const noexcept { return connection_ == connection::ready; }

  std::uint64_t next_order() noexcept { return ++order_; }
  std::uint64_t order() const noexcept { return order_; }

  void create_sent(role wants) noexcept { creating_.add(wants); }
  void create_answered(role wants) noexcept { creating_.remove(wants); }
  /// The entries whose creates are in flight.
  const predecessors& creating() const noexcept { return creating_; }
  bool is_creating() const noexcept { return creating_.entries != 0; }

  void begin_list() noexcept {
    is_listing_ = true;
    list_order_ = next_order();
  }
  void list_answered() noexcept { is_listing_ = false; }
  bool is_listing() const noexcept { return is_listing_; }
  /// The place of the newest list in the order.
  std::uint64_t list_order() const noexcept { return list_order_; }

 private:
  template <class Writer>
  friend class zklock::description;

  enum class connection : std::uint8_t { none, recovering, ready };

  session_token token_;
  connection connection_ = connection::none;
  bool is_listing_ = false;
  predecessors creating_;
  std::uint64_t order_ = 0;
  std::uint64_t list_order_ = 0;
};

} // namespace zklock::queue
