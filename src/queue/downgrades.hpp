#pragma once

#include "queue/action.hpp"
#include "queue/entry_life.hpp"
#include "queue/line.hpp"

namespace zklock::queue {

/// Turns a writer into a reader. A single transaction deletes the writer's node and creates a
/// reader's node with an equal number, so that no other writer gets in between. Curator 5.5
/// (CURATOR-621) creates the reader's node first and deletes the writer's node later.
class downgrades {
 public:
  /// All arguments must outlive the object.
  downgrades(const line& line, entry_life& life) noexcept : line_(line), life_(life) {}

  /// Sends the downgrade of a writer that holds; after a lost connection, again.
  void send(event_context& context, entry& e);

  /// Settles a downgrade once the transaction is answered, or a list or an inspection has shown its
  /// outcome. Returns whether the node of a held entry is gone.
  bool end(event_context& context, entry& e, answer result);

  /// Inspects the reader's nodes, since no list shows whether they exist.
  void inspect(event_context& context);
  /// The answer to an inspection. Returns whether the node of a held entry is gone.
  bool inspected(event_context& context, entry& e, answer result);

 private:
  const line& line_;
  entry_life& life_;
};

} // namespace zklock::queue
