#pragma once

#include "queue/action.hpp"
#include "queue/line.hpp"
#include "queue/own_entries.hpp"
#include "queue/permits.hpp"
#include "queue/settings.hpp"
#include "support/description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace zklock::queue {

/// The requests by which a queue creates entries and learns about the lock. A request knows the
/// newest demand when it was sent: its failure ends the acquisitions up to that demand.
class lock_requests {
 public:
  /// All arguments must outlive the object.
  lock_requests(const settings& settings, line& line, demands& demands, permits& permits,
                const own_entries& entries)
      : settings_(settings), line_(line), demands_(demands), permits_(permits), entries_(entries) {}

  /// Creates the node of an entry, with the requests that go before and behind the create.
  void create(event_context& context, const entry& e);
  void create_refused() noexcept { --uses_; }

  void list(event_context& context, action::kind how);
  void list_permits(event_context& context);
  void ask_limit(event_context& context);

  /// Has the quorum confirm the session, and the node of an entry, unless such a request is in
  /// flight.
  void confirm(event_context& context, const entry& e);
  /// The answer to `confirm`. Returns its entry.
  entry_id end_confirm() noexcept;
  bool is_confirming() const noexcept { return confirming_ != 0; }

  // The directories.

  bool has_directory() const noexcept { return has_directory_; }
  void directory_gone() noexcept { has_directory_ = false; }
  /// An earlier queue of the lock has created entries if it has seen the directory.
  void resume(bool has_directory) noexcept {
    has_directory_ = has_directory;
    uses_ = has_directory;
  }
  /// The directory, or a directory above it, is missing.
  void make_parents(event_context& context);
  void parents_made(bool exist) noexcept;
  bool is_making_parents() const noexcept { return is_making_parents_; }

  /// Requests whose failure ends the acquisitions that they were sent for.
  enum class request : std::uint8_t { list, permits, limit, parents, count_ };

  /// The newest demand when the request was last sent.
  demand_id newest_at(request sent) const noexcept {
    return newest_[static_cast<std::size_t>(sent)];
  }

  void disconnected() noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  void note(request sent) noexcept { newest_[static_cast<std::size_t>(sent)] = demands_.mark(); }

  const settings& settings_;
  line& line_;
  demands& demands_;
  permits& permits_;
  const own_entries& entries_;
  bool has_directory_ = false;
  bool is_making_parents_ = false;
  // How many entries were created.
  std::uint64_t uses_ = 0;
  // The entry of the `confirm` in flight; 0 for none.
  entry_id confirming_ = 0;
  std::array<demand_id, static_cast<std::size_t>(request::count_)> newest_{};
};

} // namespace zklock::queue
