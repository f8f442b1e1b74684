// How a lock is taken away from those who hold it.

#include <zklock/any_lock.hpp>

#include "lock/question.hpp"
#include "lock/standing.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {

namespace {

using zookeeper::status;

class breaking final : public question<std::size_t> {
 public:
  breaking(client_state& client, operation<error_code, std::size_t> op,
           std::shared_ptr<const lock_path> lock, std::optional<participant> whom)
      : question(client, std::move(op)), lock_(std::move(lock)), whom_(std::move(whom)) {}

 private:
  enum : int { list, remove };

  struct target {
    std::string node;
    /// Sent before, and not answered: where it is gone now, that may have been us.
    bool tried = false;
    bool done = false;
  };

  void started() override {
    if (!whom_) return;
    if (!is_of(*lock_, *whom_)) return fail(errc::bad_path);
    targets_.emplace().push_back({.node = whom_->node});
  }

  void begin() override {
    if (targets_) return remove_all();
    const auto& directory = lock_->kind == lock_kind::semaphore ? lock_->permits : lock_->line;
    session().list(directory, false, *this, ask(list));
  }

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const bool gone = reply.result == status::no_node;
    if (reply.result != status::ok && !gone) return fail(error_of(reply.result));
    if (tag.what == list) return listed(reply);
    auto& which = (*targets_)[tag.which];
    which.done = true;
    if (!gone || which.tried) ++count_;
    client().node_gone(*lock_, which.node);
    tell_if_done();
  }

  // From here on it is settled who is meant: who holds after a connection was lost may be somebody
  // else.
  void listed(const zookeeper::reply& reply) {
    const auto all = lock_->kind == lock_kind::semaphore
                         ? with_permits(*lock_, reply.children)
                         : in_line(*lock_, reply.children, reply.children_ever);
    targets_.emplace();
    for (const auto& each : all)
      if (each.holds) targets_->push_back({.node = each.node});
    remove_all();
  }

  void remove_all() {
    sent_ = true;
    for (std::size_t i = 0; i < targets_->size(); ++i)
      if (!(*targets_)[i].done) session().remove((*targets_)[i].node, *this, ask(remove, i));
    tell_if_done();
  }

  void interrupted() override {
    if (!targets_ || !sent_) return;
    for (auto& each : *targets_)
      each.tried = true;
  }

  void tell_if_done() {
    if (std::all_of(targets_->begin(), targets_->end(), [](const auto& t) { return t.done; }))
      complete({}, count_);
  }

  const std::shared_ptr<const lock_path> lock_;
  const std::optional<participant> whom_;
  std::optional<std::vector<target>> targets_;
  std::size_t count_ = 0;
  bool sent_ = false;
};

} // namespace

} // namespace detail

void any_lock::start_break(const detail::wish& wish, const std::optional<participant>& whom,
                           detail::handler<detail::count_signature> handler) {
  detail::put<detail::breaking>(wish.client, std::move(handler), wish.path, whom);
}

} // namespace zklock
