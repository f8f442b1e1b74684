// Waits until another participant holds a lock.

#include "inspect/holders.hpp"
#include "inspect/paced_requests.hpp"
#include "inspect/participant_use.hpp"
#include "inspect/queries.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

using zookeeper::status;
using zookeeper::watch_kind;

class holder_watch final : public holder_query<std::optional<participant>> {
 public:
  holder_watch(open_queries& all, operation<error_code, std::optional<participant>> op,
               std::shared_ptr<const lock_definition> lock, std::optional<participant> known)
      : holder_query(all, std::move(op), std::move(lock)), known_(std::move(known)) {}

 private:
  enum : int {
    list,
    /// The list is empty: waits until it changes.
    list_and_watch,
    /// The directory does not exist: waits until it is created.
    wait_for_directory,
    /// The known holder's node: waits until it is deleted, or has another identity.
    watch_known,
    /// The first entry in line, whose client has created a permit that is not held yet: waits until
    /// the entry is deleted.
    watch_waiter,
    /// The new holder, or the permits among which it is.
    look,
  };

  // A request that sets a watch is sent only if the query waits for the watch: no watch is left
  // behind.
  void begin() override { send(list); }

  void send(int what) {
    asking_ = true;
    waits_for_ = what;
    switch (what) {
    case watch_known:
      return watch_node(known_->node);
    case watch_waiter:
      return watch_node(waiting_with_permit()->entry.node);
    case wait_for_directory:
      return session().send(zookeeper::exists{.path = directory(), .watch = true}, *this,
                            ask_watching(what, directory(), watch_kind::node, true));
    default:
      return find_holders(what == list_and_watch);
    }
  }

  void watch_node(const std::string& node) {
    session().send(zookeeper::get{.path = node, .watch = true}, *this,
                   ask_watching(waits_for_, node, watch_kind::node));
  }

  void fired(bool deleted) override {
    // A reply that is on its way is newer than the event.
    if (asking_) return;
    send(waits_for_ == watch_known && !deleted ? watch_known : list);
  }

  void more(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const bool gone = reply.result == status::no_node;
    if (reply.result != status::ok && !gone) return fail(error_of(reply.result));
    if (tag.what == look) return looked(tag.which, reply);
    asking_ = false;
    if (tag.what == wait_for_directory) {
      if (!gone) send(list_and_watch);
    } else if (gone) {
      send(list);
    } else if (tag.what == watch_known) {
      look_at_known(reply);
    }
  }

  // A release request may have overwritten the identity, and of several permits only the first has
  // it.
  void look_at_known(const zookeeper::reply& reply) {
    const auto known = std::find_if(candidates_.begin(), candidates_.end(),
                                    [this](const participant& each) { return is_known(each); });
    if (known == candidates_.end()) return;
    describe(*known, reply);
    if (known->identity.empty() || known->identity == known_->identity) return;
    candidates_ = {std::move(*known)};
    settle_use(locks(), candidates_);
    complete({}, std::move(candidates_.front()));
  }

  bool is_known(const participant& one) const noexcept {
    return known_ && one.node == known_->node;
  }

  void found(std::vector<participant> all, bool exists) override {
    asking_ = false;
    candidates_ = std::move(all);
    if (candidates_.empty()) {
      if (known_) return complete({}, std::nullopt);
      if (!exists) return send(wait_for_directory);
      if (waiting_with_permit()) return send(watch_waiter);
      if (waits_for_ != list_and_watch) send(list_and_watch);
      return;
    }
    // The names of permits do not show the oldest permit. No permit is older than the permit of the
    // known holder.
    if (!lock().has_permits()) candidates_.resize(1);
    if (std::any_of(candidates_.begin(), candidates_.end(),
                    [this](const participant& each) { return is_known(each); }))
      return send(watch_known);
    asking_ = true;
    looks_.begin(candidates_.size());
    look_at_some();
  }

  void look_at_some() {
    while (const auto which = looks_.next())
      session().send(zookeeper::get{.path = candidates_[*which].node}, *this, ask(look, *which));
  }

  void looked(std::size_t which, const zookeeper::reply& reply) {
    auto& seen = candidates_[which];
    if (reply.result == status::no_node)
      seen.node.clear();
    else
      describe(seen, reply);
    looks_.answered();
    look_at_some();
    if (!looks_.done()) return;
    asking_ = false;
    std::erase_if(candidates_, [](const participant& each) { return each.node.empty(); });
    if (candidates_.empty()) return send(list);
    settle_use(locks(), candidates_);
    complete({}, *std::min_element(candidates_.begin(), candidates_.end(), is_older));
  }

  const std::optional<participant> known_;
  std::vector<participant> candidates_;
  paced_requests looks_;
  int waits_for_ = list;
  bool asking_ = false;
};

} // namespace

void start_holder_watch(const lock_request& request, const std::optional<participant>& known,
                        handler<holder_signature> handler) {
  start_query<holder_watch>(request.client, std::move(handler), request.path, known);
}

} // namespace zklock::detail
