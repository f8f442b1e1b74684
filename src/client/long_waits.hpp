#pragma once

#include "client/check_timing.hpp"
#include "client/client_locks.hpp"
#include "client/client_session.hpp"
#include "zookeeper/request.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The nodes for which a client has waited for longer than two session timeouts. A server can have
/// a node that the quorum has deleted, or never had: no event ends the wait for such a node.
///
/// Used on the client's strand only.
class long_waits {
 public:
  long_waits(client_session& session, client_locks& locks, const check_timing& timing) noexcept
      : session_(session), locks_(locks), timing_(timing) {}

  /// A round of session checks begins.
  void begin_round() noexcept;

  /// Returns the paths of the entries that the client has watched for so long.
  std::vector<std::string> entries() const;

  /// Returns the directories of permits that the client has watched for so long while permits are
  /// lacking.
  std::vector<std::string> directories() const;

  /// The quorum does not have this node. `by`: whether the entry itself is watched, or the
  /// directory of the permit. Changes the server if the present server has the node.
  void missing(std::string_view path, zookeeper::watch_kind by);

 private:
  std::uint64_t rounds() const noexcept;

  client_session& session_;
  client_locks& locks_;
  const check_timing& timing_;
};

} // namespace zklock::detail
