#pragma once

#include "client/permit_limit.hpp"
#include "inspect/description.hpp"
#include "inspect/line_of_participants.hpp"
#include "inspect/query_operation.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace zklock::detail {

/// A query that begins with the search for the holders of a lock.
///
/// A single list shows the holders of a mutex, and of a semaphore if no permit can belong to a
/// waiter. Otherwise the line is listed after the permits. A waiter's client creates its permit
/// while its entry is in line, and deletes the entry last: if the later list lacks the entry, the
/// permit is held or deleted.
template <class... Results>
class holder_query : public query_operation<Results...> {
 protected:
  holder_query(open_queries& all, operation<error_code, Results...> op,
               std::shared_ptr<const lock_definition> lock)
      : query_operation<Results...>(all, std::move(op)), lock_(std::move(lock)) {}

  const lock_definition& lock() const noexcept { return *lock_; }

  /// The directory whose children hold the lock.
  const std::string& directory() const noexcept {
    return lock_->has_permits() ? lock_->permits : lock_->line;
  }

  /// Lists the holders and calls `found`. With `watch`, also sets a watch on the directory.
  void find_holders(bool watch) {
    waiter_.reset();
    left_ = 1;
    const auto tag = watch ? this->ask_watching(list, directory(), zookeeper::watch_kind::children)
                           : this->ask(list);
    this->session().send(zookeeper::list{.path = directory(), .watch = watch}, *this, tag);
  }

  /// `all` are the holders, known by their names; none if the directory does not exist.
  virtual void found(std::vector<participant> all, bool exists) = 0;

  /// The reply to a request of the derived class, whose numbers are not negative.
  virtual void more(zookeeper::request_tag tag, const zookeeper::reply& reply) = 0;

  /// The first entry in line, if its client has created a permit already.
  struct early_waiter {
    participant entry;
    participant permit;
  };
  const std::optional<early_waiter>& waiting_with_permit() const noexcept { return waiter_; }

 private:
  enum : int {
    list = -1,
    look_at_permit = -2,
    look_at_limit = -3,
    list_line = -4,
    look_at_first = -5
  };

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) final {
    if (tag.what >= 0) return more(tag, reply);
    const bool gone = reply.result == zookeeper::status::no_node;
    // A limit that cannot be read decides nothing.
    if (reply.result != zookeeper::status::ok && !gone && tag.what != look_at_limit)
      return this->fail(error_of(reply.result));
    --left_;
    switch (tag.what) {
    case list:
      exists_ = !gone;
      listed(reply);
      break;
    case look_at_permit:
      describe(permit_, reply);
      break;
    case look_at_limit:
      limit_ = parse_permit_limit(reply);
      break;
    case list_line:
      look_at_line(reply);
      break;
    case look_at_first:
      describe(first_, reply);
      break;
    }
    if (left_ == 0) settle();
  }

  void listed(const zookeeper::reply& reply) {
    if (!lock_->has_permits()) {
      all_ = in_line(*lock_, reply.children, reply.children_ever);
      return;
    }
    all_ = with_permits(*lock_, reply.children, reply.children_ever);
    limit_ = lock_->limit;
    const auto newest = newest_of_others(all_);
    first_ = {};
    if (!newest || !exceeds(all_.size(), limit_)) return;
    permit_ = all_[*newest];
    left_ += 2;
    this->session().send(zookeeper::get{.path = permit_.node}, *this, this->ask(look_at_permit));
    if (!limit_) {
      ++left_;
      this->session().send(zookeeper::get{.path = lock_->limit_node}, *this,
                           this->ask(look_at_limit));
    }
    this->session().send(zookeeper::list{.path = lock_->line}, *this, this->ask(list_line));
  }

  void look_at_line(const zookeeper::reply& reply) {
    auto line = in_line(*lock_, reply.children, reply.children_ever);
    if (line.empty()) return;
    first_ = std::move(line.front());
    ++left_;
    this->session().send(zookeeper::get{.path = first_.node}, *this, this->ask(look_at_first));
  }

  void settle() {
    if (!first_.node.empty() && exceeds(all_.size(), limit_) && made_while_waiting(first_, permit_))
      waiter_.emplace(std::move(first_), std::move(permit_));
    std::erase_if(all_, [this](const participant& each) {
      return !each.is_holder || (waiter_ && each.node == waiter_->permit.node);
    });
    found(std::exchange(all_, {}), exists_);
  }

  const std::shared_ptr<const lock_definition> lock_;
  std::vector<participant> all_;
  participant permit_;
  participant first_;
  std::optional<early_waiter> waiter_;
  std::optional<std::uint32_t> limit_;
  std::size_t left_ = 0;
  bool exists_ = false;
};

} // namespace zklock::detail
