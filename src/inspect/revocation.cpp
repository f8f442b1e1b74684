// Writes a release request into the node of a participant.

#include "client/node_path.hpp"
#include "client/release_request.hpp"
#include "inspect/line_of_participants.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"

#include <string_view>
#include <utility>

namespace zklock::detail {

namespace {

class release_request_query final : public query_operation<> {
 public:
  release_request_query(open_queries& all, operation<error_code> op,
                        std::shared_ptr<const lock_definition> lock, participant target)
      : query_operation(all, std::move(op)), lock_(std::move(lock)), target_(std::move(target)) {}

 private:
  enum : int { read, write };

  bool is_of_zklock() const noexcept { return queue::is_of_zklock(name_of(target_.node)); }

  void started() override {
    if (!is_of(*lock_, target_)) return fail(errc::bad_path);
    if (!is_of_zklock()) return;
    // A holder watches the first of its permits for requests.
    if (lock_->has_permits() && target_.node.starts_with(lock_->permits + '/')) {
      target_.node.resize(target_.node.rfind('-') + 1);
      queue::append_number(target_.node, 0);
    }
  }

  // The request must not undo a change of the identity.
  void begin() override {
    if (is_of_zklock())
      session().send(zookeeper::get{.path = target_.node}, *this, ask(read));
    else
      session().send(zookeeper::set{.path = target_.node, .data = release_request_line}, *this,
                     ask(write));
  }

  void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    if (reply.result == zookeeper::status::no_node) return complete({});
    if (reply.result == zookeeper::status::bad_version) return begin();
    if (tag.what == write || reply.result != zookeeper::status::ok)
      return complete(error_of(reply.result));
    // The identity may be longer than the longest identity that zklock writes.
    const auto earlier = parse_release_request(reply.data);
    const auto identity = earlier ? std::string_view(earlier->identity) : shortened(reply.data);
    session().send(
        zookeeper::set{.path = target_.node,
                       .data = compose_release_request(core().options().identity, identity),
                       .version = reply.version},
        *this, ask(write));
  }

  const std::shared_ptr<const lock_definition> lock_;
  participant target_;
};

} // namespace

void start_revocation(const lock_request& request, const participant& target,
                      handler<plain_signature> handler) {
  start_query<release_request_query>(request.client, std::move(handler), request.path, target);
}

} // namespace zklock::detail
