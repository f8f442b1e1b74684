#pragma once

#include "transaction.hpp"

#include <cstdint>

namespace deterministic::servers {

/// The services that a server needs of its replica's role: the order of writes, and the table of
/// sessions.
class ordering {
 public:
  /// Has a write ordered. The server sees it again when it is committed.
  virtual void submit(write what) = 0;
  /// Asks for an answer behind all commits that the leader knows of. Returns false where none is
  /// needed.
  virtual bool sync(std::uint64_t number) = 0;
  /// Returns the number of the table of touched sessions, which each ping of the leader replaces.
  virtual std::uint64_t table() const = 0;
  /// A request has taken that table, and writes to it now. Returns false where the request must be
  /// dropped.
  virtual bool touch(session_id session, std::int32_t timeout, std::uint64_t table) = 0;
  /// Asks whether the session exists. The server hears of it by `revalidated`.
  virtual void revalidate(session_id session, std::int32_t timeout) = 0;
  /// Returns whether the session may read here.
  virtual memory::code check(session_id session) = 0;

 protected:
  ~ordering() = default;
};

} // namespace deterministic::servers
