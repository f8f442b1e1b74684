#pragma once

#include "queue/downgrades.hpp"
#include "queue/entry_life.hpp"
#include "queue/orphans.hpp"
#include "queue/reconciler.hpp"
#include "queue/scheduler.hpp"
#include "queue/unfinished.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace zklock::queue {

/// The replies of the servers to a queue, and the changes by other clients that the servers tell.
class server_events {
 public:
  /// All arguments must outlive the object.
  server_events(line& line, permits& permits, lock_cache& cache, orphans& orphans, entry_life& life,
                scheduler& scheduler, unfinished& unfinished)
      : line_(line),
        permits_(permits),
        cache_(cache),
        orphans_(orphans),
        entries_(life.entries()),
        life_(life),
        scheduler_(scheduler),
        unfinished_(unfinished),
        downgrades_(line, life),
        reconciler_(line, orphans, life, downgrades_) {}

  /// Downgrades a writer that holds to a reader.
  void downgrade(event_context& context, entry& e) { downgrades_.send(context, e); }
  /// Retries the refused inspections.
  void inspect_downgrades(event_context& context) { downgrades_.inspect(context); }

  // Replies to requests.

  void directory_made(event_context& context, answer result);
  void created(event_context& context, entry_id id, answer result, sequence number,
               std::int64_t czxid);
  /// `children_ever`: how many children the directory ever had.
  void listed(event_context& context, answer result, std::span<const std::string_view> names,
              std::int64_t children_ever);
  /// The reply to `list_and_watch`.
  void children_listed(event_context& context, answer result,
                       std::span<const std::string_view> names, std::int64_t children_ever);
  void removed(event_context& context, entry_id id, answer result);
  /// `name`: of a `remove_orphan` or `remove_orphan_permit`.
  void orphan_removed(std::string_view name, answer result);
  void inspected(event_context& context, entry_id id, answer result, std::int64_t czxid);
  void watched(event_context& context, std::string_view name, answer result);
  void directory_watched(event_context& context, answer result);
  /// `changed`: another client has changed the data since the node was created.
  void data_watched(event_context& context, entry_id id, answer result, bool changed);
  void downgraded(event_context& context, entry_id id, answer result);
  /// `no_entry`: the transaction failed because the entry's node does not exist.
  void taken(event_context& context, entry_id id, answer result, bool no_entry, std::int64_t czxid);
  void permits_listed(event_context& context, answer result,
                      std::span<const std::string_view> names);
  /// No value: the node holds no limit.
  void limited(event_context& context, answer result, std::optional<std::uint32_t> value);
  /// The reply to `confirm`: the session is proven again.
  void confirmed(event_context& context);

  // Changes by other clients.

  /// A watch set by `watch` or `watch_data` fired, or the data of a node of ours is known to be
  /// changed.
  void entry_changed(event_context& context, std::string_view name, bool deleted);
  /// The watch set by `watch_directory` fired.
  void directory_changed(event_context& context, bool deleted);
  /// The watch set by `list_and_watch` fired.
  void children_changed(event_context& context);
  /// The node of an entry of ours, or a permit of the entry, does not exist. Ignored if the node of
  /// the entry has another form meanwhile.
  void missing(event_context& context, entry_id id, form node);
  /// The watch set by `list_permits` fired.
  void permits_changed(event_context& context);
  /// The watch set by `ask_limit` fired.
  void limit_changed(event_context& context);

 private:
  void renumbered(event_context& context, sequence number);
  bool own_changed(event_context& context, std::string_view name, bool deleted);
  void request_release(event_context& context, entry& e);
  bool is_changing_line() const noexcept;
  void end_downgrade(event_context& context, entry& e, bool is_missing);

  line& line_;
  permits& permits_;
  lock_cache& cache_;
  orphans& orphans_;
  own_entries& entries_;
  entry_life& life_;
  scheduler& scheduler_;
  unfinished& unfinished_;
  downgrades downgrades_;
  reconciler reconciler_;
};

} // namespace zklock::queue
