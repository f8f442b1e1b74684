// Lists and counts the participants of a lock.

#include "client/permit_limit.hpp"
#include "inspect/description.hpp"
#include "inspect/line_of_participants.hpp"
#include "inspect/paced_requests.hpp"
#include "inspect/participant_use.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

using zookeeper::status;

class participants_query final : public query_operation<std::vector<participant>> {
 public:
  participants_query(open_queries& all, operation<error_code, std::vector<participant>> op,
                     std::shared_ptr<const lock_definition> lock)
      : query_operation(all, std::move(op)), lock_(std::move(lock)) {}

 private:
  enum : int { list_line, list_permits, look, look_at_limit };

  // The permits first: a waiter's client creates its permit while its entry is in line, so the line
  // that is listed later still shows the entry.
  void begin() override {
    line_.clear();
    permits_.clear();
    limit_ = lock_->limit;
    if (lock_->has_permits())
      session().send(zookeeper::list{.path = lock_->permits}, *this, ask(list_permits));
    session().send(zookeeper::list{.path = lock_->line}, *this, ask(list_line));
  }

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    const bool gone = reply.result == status::no_node;
    // A limit that cannot be read decides nothing.
    if (reply.result != status::ok && !gone && tag.what != look_at_limit)
      return fail(error_of(reply.result));
    switch (tag.what) {
    case list_permits:
      permits_ = with_permits(*lock_, reply.children, reply.children_ever);
      return;
    case list_line:
      line_ = in_line(*lock_, reply.children, reply.children_ever);
      return look_at_all();
    case look_at_limit:
      limit_ = parse_permit_limit(reply);
      break;
    default:
      if (gone)
        at(tag.which).node.clear();
      else
        describe(at(tag.which), reply);
    }
    looks_.answered();
    look_at_some();
  }

  participant& at(std::size_t which) noexcept {
    return which < permits_.size() ? permits_[which] : line_[which - permits_.size()];
  }

  void look_at_all() {
    const bool needs_limit = !limit_ && !line_.empty() && newest_of_others(permits_);
    looks_.begin(permits_.size() + line_.size() + needs_limit);
    look_at_some();
  }

  // The limit is read last.
  void look_at_some() {
    while (const auto which = looks_.next())
      if (*which == permits_.size() + line_.size())
        session().send(zookeeper::get{.path = lock_->limit_node}, *this, ask(look_at_limit));
      else
        session().send(zookeeper::get{.path = at(*which).node}, *this, ask(look, *which));
    if (looks_.done()) tell();
  }

  void tell() {
    auto all = in_order(*lock_, std::move(permits_), std::move(line_), limit_);
    settle_use(locks(), all);
    complete({}, std::move(all));
  }

  const std::shared_ptr<const lock_definition> lock_;
  std::vector<participant> line_;
  std::vector<participant> permits_;
  std::optional<std::uint32_t> limit_;
  paced_requests looks_;
};

class waiter_count_query final : public query_operation<std::size_t> {
 public:
  waiter_count_query(open_queries& all, operation<error_code, std::size_t> op,
                     std::shared_ptr<const lock_definition> lock)
      : query_operation(all, std::move(op)), lock_(std::move(lock)) {}

 private:
  void begin() override { session().send(zookeeper::list{.path = lock_->line}, *this, ask(0)); }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    if (reply.result != status::ok && reply.result != status::no_node)
      return fail(error_of(reply.result));
    const auto line = in_line(*lock_, reply.children, reply.children_ever);
    const auto count = std::count_if(line.begin(), line.end(),
                                     [](const participant& each) { return !each.is_holder; });
    complete({}, static_cast<std::size_t>(count));
  }

  const std::shared_ptr<const lock_definition> lock_;
};

} // namespace

void start_participants(const lock_request& request, handler<participants_signature> handler) {
  start_query<participants_query>(request.client, std::move(handler), request.path);
}

void start_waiter_count(const lock_request& request, handler<count_signature> handler) {
  start_query<waiter_count_query>(request.client, std::move(handler), request.path);
}

} // namespace zklock::detail
