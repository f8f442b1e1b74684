#include "lock/commit.hpp"

#include "client/acquisition.hpp"
#include "client/transaction_size.hpp"
#include "inspect/query_operation.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zklock::detail {

/// Gives access to the parts of a transaction.
struct transaction_access {
  using part = transaction::part;
  using kind = part::kind;

  static const std::vector<part>& parts_of(const transaction& t) noexcept { return t.parts_; }
};

namespace {

using zookeeper::write;
using access = transaction_access;

bool is_sequential(const access::part& part) noexcept {
  return part.mode == node_kind::persistent_sequential ||
         part.mode == node_kind::ephemeral_sequential;
}

// The C client frees a path that it refuses in a transaction twice: paths are checked before.
bool is_good(const access::part& part) {
  if (part.what == access::kind::create && is_sequential(part))
    return is_node_path(part.path + '0');
  const bool root = part.path == "/";
  if (root) return part.what == access::kind::set || part.what == access::kind::check;
  return is_node_path(part.path);
}

// The write's path begins with the chroot.
write to_write(const access::part& part, const std::string& chroot) {
  write made{.what = write::kind::check,
             .path = part.path == "/" && !chroot.empty() ? chroot : chroot + part.path,
             .data = part.data,
             .version = part.version};
  switch (part.what) {
  case access::kind::create:
    made.what = write::kind::create;
    made.sequential = is_sequential(part);
    made.ephemeral =
        part.mode == node_kind::ephemeral || part.mode == node_kind::ephemeral_sequential;
    break;
  case access::kind::set:
    made.what = write::kind::set;
    break;
  case access::kind::remove:
    made.what = write::kind::remove;
    break;
  case access::kind::check:
    break;
  }
  return made;
}

class commit final : public query_operation<commit_result> {
 public:
  commit(open_queries& all, operation<error_code, commit_result> op,
         std::shared_ptr<acquisition> held, transaction writes)
      : query_operation(all, std::move(op)), held_(std::move(held)), writes_(std::move(writes)) {}

 private:
  const std::vector<access::part>& parts() const noexcept { return access::parts_of(writes_); }

  void started() override {
    if (held_->current() != acquisition::phase::held) return fail(held_->why_over());
    for (std::size_t i = 0; i < parts().size(); ++i)
      if (!is_good(parts()[i])) return complete(errc::bad_path, {.failed_part = i});
    if (parts().empty() || bytes() > largest_transaction) fail(errc::bad_transaction);
  }

  std::size_t bytes() const noexcept {
    std::size_t sum = held_->entry().nodes() * (held_->node().size() + zookeeper::part_bytes);
    for (const auto& part : parts()) {
      sum += core().chroot().size() + part.path.size() + part.data.size() + zookeeper::part_bytes;
      if (part.what == access::kind::create) sum += access_bytes(core().options());
    }
    return sum;
  }

  void begin() override {
    if (held_->current() != acquisition::phase::held) return fail(held_->why_over());
    node_ = held_->node();
    checks_ = held_->entry().nodes();
    std::vector<write> all;
    all.reserve(checks_ + parts().size());
    for (std::uint32_t i = 0; i < held_->entry().nodes(); ++i)
      all.push_back({.what = write::kind::check, .path = held_->node(i)});
    for (const auto& part : parts())
      all.push_back(to_write(part, core().chroot()));
    if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.ephemeral; }))
      queries().session().ephemerals_made();
    sent_ = true;
    session().send(zookeeper::transact{.writes = all}, *this, ask(0));
  }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    if (reply.result == zookeeper::status::ok) return committed(reply);
    const error_code why = error_of(reply.result);
    if (reply.first_failed >= checks_)
      return complete(why, {.failed_part = reply.first_failed - checks_});
    if (why != errc::no_node) return complete(why, {});
    // Nothing was committed. A writer that became a reader in between has another node.
    if (held_->current() == acquisition::phase::held && held_->node() != node_) return begin();
    if (auto* const driver = locks().find_driver(*held_->path()))
      driver->node_gone(held_->node(static_cast<std::uint32_t>(reply.first_failed)));
    complete(errc::entry_deleted, {});
  }

  void committed(const zookeeper::reply& reply) {
    commit_result result;
    for (const auto path : reply.children)
      result.created.emplace_back(path.substr(core().chroot().size()));
    complete({}, std::move(result));
  }

  // The transaction may have been committed: it must not be sent again.
  void interrupted() override {
    if (sent_) fail(errc::unknown_outcome);
  }

  void failed(error_code why) override {
    const bool unknown = sent_ && why != boost::asio::error::operation_aborted;
    query_operation::failed(unknown ? error_code(errc::unknown_outcome) : why);
  }

  const std::shared_ptr<acquisition> held_;
  const transaction writes_;
  std::string node_;
  std::size_t checks_ = 0;
  bool sent_ = false;
};

} // namespace

void start_commit(acquisition& held, const transaction& writes, handler<commit_signature> handler) {
  start_query<commit>(held.client(), std::move(handler), held.holder().shared_from_this(), writes);
}

} // namespace zklock::detail
