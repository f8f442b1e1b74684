#pragma once

#include "queue/action.hpp"
#include "queue/entry_life.hpp"
#include "queue/line.hpp"

namespace zklock::queue {

/// How a writer becomes a reader. One transaction deletes the writer's node and creates a reader's
/// node with the same number, so that no other writer comes in between. The scheme is that of
/// Curator 5.5 (CURATOR-621), which creates the reader's node and later deletes the writer's.
class downgrades {
 public:
  /// All of these must live as long.
  downgrades(const line& line, entry_life& life) noexcept : line_(line), life_(life) {}

  /// Makes a reader of a writer that holds; after a lost connection, again.
  void send(event_context& context, entry& e);

  /// The transaction is answered, or a list or the answer about the reader's node has told its
  /// outcome. Returns whether the node of a held entry is gone.
  bool end(event_context& context, entry& e, answer result);

  /// Asks for the reader's nodes: no list tells whether they are there.
  void inspect(event_context& context);
  /// The answer. Returns whether the node of a held entry is gone.
  bool inspected(event_context& context, entry& e, answer result);

 private:
  const line& line_;
  entry_life& life_;
};

} // namespace zklock::queue
