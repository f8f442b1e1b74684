#pragma once

#include "zookeeper/connector.hpp"
#include "zookeeper/cut_requests.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/session_owner.hpp"
#include "zookeeper/write_combiner.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zklock::zookeeper {

/// Sends the requests of a session, in the order of the calls, while the session uses a connection.
///
/// Writes that may be combined are held back until a turn of the executor adds no more. While
/// writes come alone, each after the reply to the write before, they are not held back.
class request_sender final : write_combiner::outlet {
 public:
  /// `access_bytes`: the size of the access list that each create carries.
  request_sender(const strand& executor, connector& through, session_owner& owner,
                 std::size_t access_bytes);

  /// Must be called first. `self` points to this object. Handlers do nothing after it has expired.
  void attach(std::weak_ptr<request_sender> self) noexcept { self_ = std::move(self); }

  // As the session's.
  void send(const request& what, receiver& to, request_tag tag);
  void remove_watch(const std::string& path, watch_kind kind);
  void sync(const std::string& path);
  void reject_server(std::string why);
  void reject_data(std::string resurrected);
  std::size_t most_bytes() const noexcept override { return cuts_.most_bytes(); }
  bool lists_own() const noexcept { return std::chrono::steady_clock::now() >= lists_own_from_; }

  /// Sends a request on a connection that the session does not use yet.
  void send_early(const request& what, receiver& to);

  /// A request has its reply.
  void answered(request_label which) noexcept;

  /// The server does not know `list_own`. Newer servers, with the data of a backup, may take its
  /// place at any time.
  void list_own_is_unknown() noexcept;

  /// A connection has ended behind a request. Returns whether so many connections have ended behind
  /// requests of this kind that the servers may not know it, or find it too large: once for each
  /// kind.
  bool ended_behind(request_label which) noexcept;

  /// The connection is not used any more: forgets the writes that are held back.
  void clear() noexcept { combiner_.clear(); }

 private:
  // A turn of the executor in which writes are held back.
  struct turn {
    // The number and the size of the held batch at the beginning of the turn.
    std::uint64_t held;
    std::size_t size;
    // When the batch is sent even if the turn has added writes.
    std::chrono::steady_clock::time_point latest;
  };

  void send_now(const request& what, receiver& to, request_tag tag) override;
  bool is_delivering() const noexcept override;
  handle* used_handle() const noexcept;
  template <class Function>
  void with_handle(Function function);
  void flush_soon();
  void flush_behind_ready_handlers(turn now);
  void flush_or_wait(turn now);
  void flush_held();

  const process_mark process_;
  const strand executor_;
  connector& connector_;
  session_owner& owner_;
  std::weak_ptr<request_sender> self_;
  cut_requests cuts_;
  write_combiner combiner_;
  // The batch of held writes for which a flush was posted last.
  std::uint64_t flushed_soon_ = 0;
  // The number of batches in a row that were a single write while no request was unanswered.
  int lone_writes_ = 0;
  // From when on `list_own` is sent, and for how long not after the next refusal.
  std::chrono::steady_clock::time_point lists_own_from_{};
  std::chrono::minutes without_list_own_;
};

} // namespace zklock::zookeeper
