// Writes a release request into the node of a participant.

#include "client/node_path.hpp"
#include "inspect/line_of_participants.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"
#include "inspect/release_request.hpp"

#include <string>
#include <utility>

namespace zklock::detail {

namespace {

class release_request_query final : public query_operation<> {
 public:
  release_request_query(open_queries& all, operation<error_code> op,
                        std::shared_ptr<const lock_definition> lock, participant target)
      : query_operation(all, std::move(op)), lock_(std::move(lock)), target_(std::move(target)) {}

 private:
  void started() override {
    if (!is_of(*lock_, target_)) return fail(errc::bad_path);
    if (!queue::is_of_zklock(name_of(target_.node))) {
      request_ = release_request_line;
      return;
    }
    // The identity may be longer than the longest identity that zklock writes.
    request_ = compose_release_request(core().options().identity, shortened(target_.identity));
    // A holder watches the first of its permits for requests.
    if (lock_->has_permits() && target_.node.starts_with(lock_->permits + '/')) {
      target_.node.resize(target_.node.rfind('-') + 1);
      queue::append_number(target_.node, 0);
    }
  }

  void begin() override {
    session().send(zookeeper::set{.path = target_.node, .data = request_}, *this, ask(0));
  }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    complete(reply.result == zookeeper::status::no_node ? error_code() : error_of(reply.result));
  }

  const std::shared_ptr<const lock_definition> lock_;
  participant target_;
  std::string request_;
};

} // namespace

void start_revocation(const lock_request& request, const participant& target,
                      handler<plain_signature> handler) {
  start_query<release_request_query>(request.client, std::move(handler), request.path, target);
}

} // namespace zklock::detail
