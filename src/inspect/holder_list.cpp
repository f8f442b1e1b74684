// Lists the holders of a lock.

#include "inspect/holders.hpp"
#include "inspect/paced_requests.hpp"
#include "inspect/participant_use.hpp"
#include "inspect/queries.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

using zookeeper::status;

class holder_list final : public holder_query<std::vector<participant>> {
 public:
  holder_list(open_queries& all, operation<error_code, std::vector<participant>> op,
              std::shared_ptr<const lock_definition> lock)
      : holder_query(all, std::move(op), std::move(lock)) {}

 private:
  enum : int { look };

  void begin() override { find_holders(false); }

  void found(std::vector<participant> all, bool) override {
    holders_ = std::move(all);
    looks_.begin(holders_.size());
    look_at_some();
    if (looks_.done()) complete({}, {});
  }

  void look_at_some() {
    while (const auto which = looks_.next())
      session().send(zookeeper::get{.path = holders_[*which].node}, *this, ask(look, *which));
  }

  void more(zookeeper::request_tag tag, const zookeeper::reply& reply) override {
    auto& seen = holders_[tag.which];
    if (reply.result == status::ok)
      describe(seen, reply);
    else if (reply.result == status::no_node)
      seen.node.clear();
    else
      return fail(error_of(reply.result));
    looks_.answered();
    look_at_some();
    if (!looks_.done()) return;
    std::erase_if(holders_, [](const participant& each) { return each.node.empty(); });
    if (lock().has_permits()) {
      name_holders(holders_);
      std::sort(holders_.begin(), holders_.end(), is_older);
    }
    settle_use(locks(), holders_);
    complete({}, std::move(holders_));
  }

  std::vector<participant> holders_;
  paced_requests looks_;
};

} // namespace

void start_holder_list(const lock_request& request, handler<participants_signature> handler) {
  start_query<holder_list>(request.client, std::move(handler), request.path);
}

} // namespace zklock::detail
