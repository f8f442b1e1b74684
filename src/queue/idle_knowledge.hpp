#pragma once

#include "queue/entry_name.hpp"

#include <optional>

namespace zklock::queue {

/// The knowledge of a queue without acquisitions and entries. A later queue of the lock may begin
/// with the knowledge, as long as the connection lasts on which the queue got it.
struct idle_knowledge {
  /// Whether the directory of the entries was seen, and not yet its end.
  bool has_directory = false;
  /// Whether a watch tells when the directory is deleted.
  bool is_watched = false;
  /// The number up to which all entries are gone; empty if any other client has an entry, or if the
  /// directory is not watched.
  std::optional<sequence> gone_up_to{};

  /// The watch fired, or is lost with the connection.
  void watch_lost() noexcept {
    is_watched = false;
    gone_up_to.reset();
  }
};

} // namespace zklock::queue
