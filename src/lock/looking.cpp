// Who takes part in a lock.

#include <zklock/any_lock.hpp>

#include "lock/description.hpp"
#include "lock/question.hpp"
#include "lock/standing.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {

namespace {

using zookeeper::status;

class participants_question final : public question<std::vector<participant>> {
 public:
  participants_question(client_state& client, operation<error_code, std::vector<participant>> op,
                        std::shared_ptr<const lock_path> lock)
      : question(client, std::move(op)), lock_(std::move(lock)) {}

 private:
  enum : int { list_line, list_permits, look };

  // The line first: who gets his permits in between shows twice, not never, and by what his place
  // in line says, which comes last, only once.
  void begin() override {
    line_.clear();
    permits_.clear();
    left_ = 1;
    session().list(lock_->line, false, *this, ask(list_line));
    if (lock_->kind != lock_kind::semaphore) return;
    ++left_;
    session().list(lock_->permits, false, *this, ask(list_permits));
  }

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const bool gone = reply.result == status::no_node;
    if (reply.result != status::ok && !gone) return fail(error_of(reply.result));
    --left_;
    if (tag.what == look) {
      auto& seen =
          tag.which < permits_.size() ? permits_[tag.which] : line_[tag.which - permits_.size()];
      if (gone)
        seen.node.clear();
      else
        describe(seen, reply);
      if (left_ == 0) tell();
      return;
    }
    if (tag.what == list_line)
      line_ = in_line(*lock_, reply.children, reply.children_ever);
    else
      permits_ = with_permits(*lock_, reply.children);
    if (left_ == 0) look_at_all();
  }

  void look_at_all() {
    for (const auto* list : {&permits_, &line_})
      for (const auto& each : *list)
        session().get(each.node, false, *this, ask(look, left_++));
    if (left_ == 0) tell();
  }

  // Those who have left meanwhile made room for others.
  void tell() {
    for (auto* list : {&permits_, &line_})
      std::erase_if(*list, [](const participant& each) { return each.node.empty(); });
    settle_holders(*lock_, line_);
    name_holders(permits_);
    std::sort(permits_.begin(), permits_.end(), is_older);
    permits_.insert(permits_.end(), std::make_move_iterator(line_.begin()),
                    std::make_move_iterator(line_.end()));
    complete({}, std::move(permits_));
  }

  const std::shared_ptr<const lock_path> lock_;
  std::vector<participant> line_;
  std::vector<participant> permits_;
  std::size_t left_ = 0;
};

class waiting_question final : public question<std::size_t> {
 public:
  waiting_question(client_state& client, operation<error_code, std::size_t> op,
                   std::shared_ptr<const lock_path> lock)
      : question(client, std::move(op)), lock_(std::move(lock)) {}

 private:
  void begin() override { session().list(lock_->line, false, *this, ask(0)); }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    if (reply.result != status::ok && reply.result != status::no_node)
      return fail(error_of(reply.result));
    const auto line = in_line(*lock_, reply.children, reply.children_ever);
    const auto count = std::count_if(line.begin(), line.end(),
                                     [](const participant& each) { return !each.holds; });
    complete({}, static_cast<std::size_t>(count));
  }

  const std::shared_ptr<const lock_path> lock_;
};

} // namespace

} // namespace detail

void any_lock::start_participants(const detail::wish& wish,
                                  detail::handler<detail::participants_signature> handler) {
  detail::put<detail::participants_question>(wish.client, std::move(handler), wish.path);
}

void any_lock::start_waiting(const detail::wish& wish,
                             detail::handler<detail::count_signature> handler) {
  detail::put<detail::waiting_question>(wish.client, std::move(handler), wish.path);
}

} // namespace zklock
