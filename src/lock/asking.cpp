// How a participant is asked to let go.

#include <zklock/any_lock.hpp>

#include "lock/options.hpp"
#include "lock/question.hpp"
#include "lock/release_request.hpp"
#include "lock/standing.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace zklock {

namespace detail {

namespace {

class asking final : public question<> {
 public:
  asking(client_state& client, operation<error_code> op, std::shared_ptr<const lock_path> lock,
         participant whom)
      : question(client, std::move(op)), lock_(std::move(lock)), whom_(std::move(whom)) {}

 private:
  void started() override {
    if (!is_of(*lock_, whom_)) return fail(errc::bad_path);
    if (!queue::is_of_zklock(name_of(whom_.node))) {
      request_ = release_request_line;
      return;
    }
    // Nothing that zklock writes is longer, whatever the participant was told to be.
    const auto identity = std::string_view(whom_.identity).substr(0, longest_identity);
    request_ = compose_release_request(client().identity(), identity);
    // By the first of its permits a holder looks for requests.
    if (lock_->kind == lock_kind::semaphore && whom_.node.starts_with(lock_->permits + '/')) {
      whom_.node.resize(whom_.node.rfind('-') + 1);
      queue::append_number(whom_.node, 0);
    }
  }

  void begin() override { session().set(whom_.node, request_, -1, *this, ask(0)); }

  void answered(zookeeper::request_tag, const zookeeper::reply& reply) override {
    complete(reply.result == zookeeper::status::no_node ? error_code() : error_of(reply.result));
  }

  const std::shared_ptr<const lock_path> lock_;
  participant whom_;
  std::string request_;
};

} // namespace

} // namespace detail

void any_lock::start_ask_release(const detail::wish& wish, const participant& whom,
                                 detail::handler<detail::plain_signature> handler) {
  detail::put<detail::asking>(wish.client, std::move(handler), wish.path, whom);
}

} // namespace zklock
