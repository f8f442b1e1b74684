#pragma once

#include "client/acquisition.hpp"
#include "client/parents.hpp"
#include "client/unused_directories.hpp"
#include "queue/lock_queue.hpp"
#include "zookeeper/session.hpp"

#include <boost/intrusive/list_hook.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zklock::detail {

class client_state;

/// One lock of one client: carries out the actions of its queue, and brings it the answers.
/// Used on the client's strand only.
class directory final : public zookeeper::receiver {
 public:
  directory(client_state& client, std::shared_ptr<const lock_definition> path,
            const queue::settings& settings, queue::node_budget& budget,
            std::pmr::memory_resource* memory);

  // What the callers want.
  void start(const std::shared_ptr<acquisition>& c);
  /// Gives the lock back, or gives up waiting.
  void release(const acquisition& c);
  void downgrade(const acquisition& c);

  /// What becomes of an owner's acquire.
  enum class sharing {
    /// The owner does not hold the lock: it gets in line.
    none,
    /// The owner holds it, but the session is not proven: nothing is granted yet.
    unproven,
    /// It was granted or refused.
    done,
  };

  /// Gives an owner who holds the lock already what it asks for again, or refuses.
  sharing share(const std::shared_ptr<acquisition>& c);

  // What happens to the session.
  void connected();
  void disconnected();
  void expired();
  void entry_changed(std::string_view name, bool deleted);
  void directory_changed(bool deleted);
  void missing(queue::entry_id id, queue::form node);
  /// The session is proven.
  void confirmed();
  /// The node at this path, of whoever's, does not exist.
  void node_gone(std::string_view gone);
  /// A watch on something else than an entry or the directory of the entries fired.
  void watch_fired(std::string_view path, zookeeper::watch_event event);

  /// Of the directory of the entries.
  const std::string& path() const noexcept { return path_->line; }

  const lock_definition& name() const noexcept { return *path_; }
  const std::shared_ptr<const lock_definition>& shared_name() const noexcept { return path_; }

  /// Which of its directories this client made, as containers that may go.
  made_directories made() const noexcept { return made_; }
  /// It made these when it used the lock before.
  void inherit(made_directories made) noexcept { made_ |= made; }

  /// Whether it is the same lock, of the same kind.
  bool is_for(const lock_definition& path) const noexcept;

  /// Whether the servers have confirmed that an acquisition stands in line, or it waits for room.
  bool in_line(const acquisition& c) const noexcept { return queue_.in_line(c.id); }

  // In line for the client's budget of owned bytes: as the queue's.
  bool starved() const noexcept { return queue_.starved(); }
  bool needs_room() const noexcept { return queue_.needs_room(); }
  void refill();
  bool wants_rest() const noexcept { return queue_.wants_rest(); }
  bool may_borrow() const noexcept { return queue_.may_borrow(); }
  bool make_room(bool for_rest);

  // What the servers refused for a reason that may pass: as the queue's.
  bool has_refused() const noexcept { return queue_.has_refused(); }
  void try_again();

  /// Nobody waits, nobody holds, and no answer is on its way.
  bool idle() const noexcept { return queue_.empty() && unanswered_ == 0; }

  /// Whether nodes of this client's may be there.
  bool owns_nodes() const noexcept { return !queue_.entries().empty(); }

  struct named_node {
    queue::entry_id entry;
    queue::form form;
  };

  /// Appends the paths of the nodes of all entries, and returns what they are.
  std::vector<named_node> collect(std::vector<std::string>& paths) const;

  const std::pmr::unordered_map<queue::acquisition_id, std::shared_ptr<acquisition>>&
  acquisitions() const noexcept {
    return acquisitions_;
  }

  /// Links it with the other locks that nothing uses.
  intrusive::list_member_hook<auto_unlink> idle_hook;

 private:
  using kind = queue::action::kind;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void handle(zookeeper::request_tag tag, const zookeeper::reply& reply);

  /// Brings the queue an event and carries out what follows from it.
  template <class Event>
  void feed(Event event) noexcept {
    queue::event_context context = next_context();
    event(context);
    carry_out();
  }

  queue::event_context next_context() noexcept;
  void carry_out();
  void carry_out(const queue::action& action);
  void send(const queue::action& action) noexcept;
  void request(const queue::action& action);
  void get_and_watch(const std::string& which, zookeeper::request_tag tag);
  void list_and_watch_permits();
  void watch_answered(zookeeper::request_tag tag, zookeeper::status result);
  void send_take(const queue::action& action);
  void send_downgrade(const queue::action& action);
  void give_back(const queue::action& action);
  void removed(queue::entry_id id, queue::answer result);
  void send_checks(const queue::action& action);
  void checked(queue::answer result, std::size_t first_failed);
  void remove_stray(const queue::action& action);
  void stray_removed(queue::answer result);
  void log_failure(kind what, const zookeeper::reply& reply);
  void limited(const zookeeper::reply& reply);
  void tell(const queue::action& action);
  void log_too_many(const acquisition& c, queue::reason why) const;
  void tell_places();
  void forget_owner(const acquisition& c);
  void note_told(const acquisition& c);
  std::int32_t take_told(queue::entry_id id);
  void make_parents(zookeeper::status result);
  void note_made(std::size_t which, zookeeper::status result) noexcept;
  zookeeper::request_tag ask(kind what, std::uint64_t which = 0) noexcept;
  const std::string& node_of(const queue::action& action);
  std::string permit_of(const queue::action& action, std::uint32_t index) const;

  client_state& client_;
  const std::shared_ptr<const lock_definition> path_;
  const queue::lock_policy policy_;
  queue::lock_queue queue_;
  const std::size_t entry_bytes_;
  const std::uint32_t most_permits_;
  std::pmr::unordered_map<queue::acquisition_id, std::shared_ptr<acquisition>> acquisitions_;
  std::vector<queue::action> actions_;
  // Of the request that is being made.
  std::string node_;
  // Who acquires for an owner, and who wants to know his place.
  std::unordered_map<std::uint64_t, std::weak_ptr<acquisition>> owners_;
  std::vector<std::shared_ptr<acquisition>> curious_;
  // Of entries that are handed over, up to which version of their data release requests were told.
  std::unordered_map<queue::entry_id, std::int32_t> told_;
  // How many permits of an entry are yet to be deleted, and what went wrong with one of them.
  std::unordered_map<queue::entry_id, std::pair<std::uint32_t, queue::answer>> leaving_;
  // The strays whose deletion was asked for and not answered yet, in order.
  std::deque<std::string> strays_asked_;
  // What failed last, as the log was told.
  std::optional<kind> told_failure_;
  // The watches that were asked for and not answered yet, in order.
  std::deque<std::string> watches_asked_;
  // The transactions with checks that were not answered yet, in order.
  std::list<queue::action> checks_asked_;
  parents parents_;
  made_directories made_;
  std::size_t unanswered_ = 0;
  // A request could not be made: none is before the connection is another one.
  bool stalled_ = false;
  bool carrying_out_ = false;
};

} // namespace zklock::detail
