// Waits for a release request on the node of a hold.

#include "client/acquisition.hpp"
#include "client/lock_log.hpp"
#include "client/release_request.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"

#include <string>
#include <utility>

namespace zklock::detail {

namespace {

using zookeeper::status;

class release_watch final : public query_operation<std::string> {
 public:
  release_watch(open_queries& all, operation<error_code, std::string> op,
                std::shared_ptr<acquisition> held)
      : query_operation(all, std::move(op)), held_(std::move(held)) {}

 private:
  bool lasting() const noexcept override { return true; }

  bool watches_own() const noexcept override { return true; }

  void started() override {
    end_on_strand(*held_);
    if (held_->current() != acquisition::phase::held) return fail(held_->why_over());
    held_->waits().add(shared_from_this());
    told_ = held_->waits().requests_until();
  }

  void begin() override {
    if (auto node = held_->node(); node != node_) {
      // The writer was replaced by a reader, whose node has data versions of its own.
      if (!node_.empty()) told_ = 0;
      node_ = std::move(node);
    }
    asking_ = true;
    session().send(zookeeper::get{.path = node_, .watch = true}, *this,
                   ask_watching(0, node_, zookeeper::watch_kind::node));
  }

  // The next reply shows whether the node was deleted or its data changed. The reply to a
  // replacement of the node by this client comes before, so a replaced node is not taken for a
  // deleted node.
  void fired(bool) override {
    if (!asking_) begin();
  }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    asking_ = false;
    if (held_->node() != node_) return begin();
    auto* const driver = locks().find_driver(*held_->path());
    if (reply.result == status::no_node) {
      if (driver) driver->node_gone(node_);
      // As a rule the loss of the hold has ended the query before.
      return fail(errc::entry_deleted);
    }
    if (reply.result != status::ok) return fail(error_of(reply.result));
    auto request = parse_release_request(reply.data);
    const auto version = held_->waits().version_of_request(reply.version, reply.data);
    if (!request || version <= told_) return;
    if (held_->note_request(version))
      log_request(core(), queries().session(), logged(*held_), request->requester);
    if (driver) driver->release_requested(node_);
    complete({}, std::move(request->requester));
  }

  const std::shared_ptr<acquisition> held_;
  std::string node_;
  std::int32_t told_ = 0;
  bool asking_ = false;
};

} // namespace

void start_release_watch(acquisition& held, handler<request_signature> handler) {
  start_query<release_watch>(held.client(), std::move(handler), held.holder().shared_from_this());
}

} // namespace zklock::detail
