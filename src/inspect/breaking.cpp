// Deletes the entries of all holders of a lock, or the entry of a participant.

#include "client/lock_log.hpp"
#include "client/node_path.hpp"
#include "inspect/holders.hpp"
#include "inspect/paced_requests.hpp"
#include "inspect/queries.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

using zookeeper::status;

class breaking final : public holder_query<std::size_t> {
 public:
  breaking(open_queries& all, operation<error_code, std::size_t> op,
           std::shared_ptr<const lock_definition> lock, std::optional<participant> only)
      : holder_query(all, std::move(op), std::move(lock)), only_(std::move(only)) {}

 private:
  enum : int { remove };

  struct target {
    std::string node;
    /// Whether the node is the participant's own, and not the permit of a waiter.
    bool counts = true;
    bool sent = false;
    /// The delete was sent on an earlier connection and has no reply: it may have succeeded.
    bool tried = false;
    bool done = false;
  };

  void started() override {
    if (!only_) return;
    if (!is_of(lock(), *only_)) return fail(errc::bad_path);
    // Another client than zklock may have created its permit while it waits.
    if (lock().has_permits() && !queue::is_of_zklock(name_of(only_->node)) &&
        !only_->node.starts_with(lock().permits + '/'))
      return;
    targets_.emplace().push_back({.node = only_->node});
  }

  void begin() override {
    if (targets_) return remove_all();
    find_holders(false);
  }

  // The nodes are fixed from here on: after a lost connection new participants may hold the lock,
  // whose nodes must not be deleted.
  void found(std::vector<participant> all, bool) override {
    targets_.emplace();
    if (only_) {
      if (const auto& waiter = waiting_with_permit(); waiter && waiter->entry.node == only_->node)
        targets_->push_back({.node = waiter->permit.node, .counts = false});
      targets_->push_back({.node = only_->node});
    } else {
      for (auto& each : all)
        targets_->push_back({.node = std::move(each.node)});
    }
    remove_all();
  }

  void more(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const bool gone = reply.result == status::no_node;
    if (reply.result != status::ok && !gone) return fail(error_of(reply.result));
    auto& which = (*targets_)[tag.which];
    which.done = true;
    // A waiter whose permit is gone may delete its node before this client does. The reply for the
    // permit comes before the reply for the node, as the requests do.
    is_broken_ |= !gone || which.tried;
    if (which.counts && std::exchange(is_broken_, false)) {
      ++count_;
      queries().counters().broken.add();
      log_broken(core(), queries().session(), lock(), which.node);
    }
    if (auto* const driver = locks().find_driver(lock())) driver->node_gone(which.node);
    removals_.answered();
    remove_some();
  }

  void remove_all() {
    std::erase_if(*targets_, [](const target& each) { return each.done; });
    removals_.begin(targets_->size());
    remove_some();
  }

  void remove_some() {
    while (const auto which = removals_.next()) {
      auto& next = (*targets_)[*which];
      next.sent = true;
      session().send(zookeeper::remove{.path = next.node}, *this, ask(remove, *which));
    }
    if (removals_.done()) complete({}, count_);
  }

  void interrupted() override {
    if (!targets_) return;
    for (auto& each : *targets_)
      each.tried |= each.sent;
  }

  const std::optional<participant> only_;
  std::optional<std::vector<target>> targets_;
  std::size_t count_ = 0;
  /// Whether a node of the present participant was deleted.
  bool is_broken_ = false;
  paced_requests removals_;
};

} // namespace

void start_breaking(const lock_request& request, const std::optional<participant>& only,
                    handler<count_signature> handler) {
  start_query<breaking>(request.client, std::move(handler), request.path, only);
}

} // namespace zklock::detail
