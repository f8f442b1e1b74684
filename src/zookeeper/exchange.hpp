#pragma once

#include <zklock/clock.hpp>

#include "zookeeper/reply_layout.hpp"
#include "zookeeper/request.hpp"
#include "zookeeper/request_label.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// The memory that the C client fills with the reply to a transaction: transaction_memory.hpp.
struct transaction_memory;

/// A request with its reply, or a watch event.
///
/// An exchange stays at its address: the C client and the views of the reply point into it.
struct exchange {
  exchange();
  ~exchange();
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  /// Forgets the request and the reply, and keeps the memory.
  void reset() noexcept;

  /// Whether the memory is worth keeping.
  bool is_small() const noexcept;

  /// The receiver of the reply. Null for a watch event, and for a request whose reply is not
  /// delivered.
  receiver* to = nullptr;
  request_tag tag;
  request_label label;
  boot_clock::time_point sent;
  /// 0 until the C client has numbered the request.
  std::int32_t xid = 0;
  reply_layout layout = reply_layout::nothing;
  /// Whether the request is a transaction of the quorum.
  bool writes = false;
  /// The layouts of the results of a transaction.
  std::vector<reply_layout> parts;
  /// Null until the exchange is used for a transaction.
  std::unique_ptr<transaction_memory> transaction;

  reply answer;
  /// Whether the reply is the reply of a committed transaction.
  bool committed = false;
  watch_event event = watch_event::node;
  /// The text of the reply's views, or the path of the watch event.
  std::string text;
  std::vector<std::string_view> names;
};

/// The requests of a connection that have no reply yet, from the oldest to the newest; and the
/// replies and watch events that are not delivered yet, in the order of their arrival.
class exchanges {
 public:
  exchanges() = default;
  exchanges(const exchanges&) = delete;
  exchanges& operator=(const exchanges&) = delete;

  /// Adds a request.
  exchange& add();

  /// Removes the newest request, which is not sent.
  void withdraw() noexcept;

  /// Returns the newest request if the C client has not numbered it; otherwise null.
  exchange* unnumbered() noexcept;

  /// Returns the oldest request without an accepted reply; null without such a request.
  exchange* awaited() noexcept;

  /// Returns the request with this xid that has no accepted reply; null without such a request.
  const exchange* find(std::int32_t xid) const noexcept;

  /// The reply to the awaited request is accepted. The C client calls back for it before it
  /// receives the next reply.
  void accept() noexcept { ++awaited_; }

  /// Whether the reply to the oldest request is accepted. Otherwise the C client calls back because
  /// the connection is lost.
  bool is_accepted() const noexcept { return awaited_ != in_flight_.begin(); }

  /// The oldest request, for which the C client calls back.
  exchange& oldest() noexcept { return in_flight_.front(); }

  /// Puts the oldest request, with its reply, behind the messages to deliver.
  void deliver_oldest() noexcept;

  /// Removes the oldest request without delivering a reply.
  void drop_oldest() noexcept;

  /// Adds a watch event behind the messages to deliver.
  exchange& add_event();

  /// Removes and returns the messages to deliver.
  std::list<exchange> take_arrived() noexcept;

  /// Takes delivered messages, whose memory is used again.
  void recycle(std::list<exchange> delivered) noexcept;

 private:
  exchange& take_free();
  void trim() noexcept;

  std::list<exchange> in_flight_;
  // The awaited request, or the end of `in_flight_`.
  std::list<exchange>::iterator awaited_ = in_flight_.end();
  std::list<exchange> arrived_;
  std::list<exchange> free_;
};

} // namespace zklock::zookeeper
