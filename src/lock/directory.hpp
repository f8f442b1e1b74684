#pragma once

#include "lock/claim.hpp"
#include "lock/parents.hpp"
#include "queue/queue.hpp"
#include "zookeeper/session.hpp"

#include <boost/intrusive/list_hook.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class client_state;

/// One lock of one client: carries out the actions of its queue, and brings it the answers.
/// Used on the client's strand only.
class directory final : public zookeeper::receiver, public intrusive::list_base_hook<auto_unlink> {
 public:
  directory(client_state& client, std::shared_ptr<const lock_path> path, const queue::rule& rule,
            const queue::settings& settings, queue::budget& budget,
            std::pmr::memory_resource* memory);

  // What the callers want.
  void start(const std::shared_ptr<claim>& c);
  /// Gives the lock back, or gives up waiting.
  void release(const claim& c);
  void refill();

  // What happens to the session.
  void connected();
  void disconnected();
  void expired();
  void entry_changed(std::string_view name, bool deleted);
  void directory_changed(bool deleted);
  void missing(queue::entry_id id);

  const std::string& path() const noexcept { return path_->full; }

  /// Somebody waits for room in the client's budget of owned bytes.
  bool starved() const noexcept { return queue_.starved(); }

  /// Nobody waits, nobody holds, and no answer is on its way.
  bool idle() const noexcept { return queue_.empty() && unanswered_ == 0; }

  /// Appends the entries that have a node and ids up to `last` to the lists.
  void collect(queue::entry_id last, std::vector<std::string>& paths,
               std::vector<queue::entry_id>& ids) const;

  const std::pmr::unordered_map<queue::claim_id, std::shared_ptr<claim>>& claims() const noexcept {
    return claims_;
  }

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void handle(zookeeper::request_tag tag, const zookeeper::reply& reply);

  template <class Event>
  void feed(Event event);
  void carry_out();
  void carry_out(const queue::action& action);
  void send(const queue::action& action);
  void tell(const queue::action& action);
  void make_parents(zookeeper::status result);
  zookeeper::request_tag ask(queue::action::kind what, std::uint64_t which = 0) noexcept;
  const std::string& node_of(const queue::action& action);

  client_state& client_;
  const std::shared_ptr<const lock_path> path_;
  const queue::rule& rule_;
  queue::queue queue_;
  std::pmr::unordered_map<queue::claim_id, std::shared_ptr<claim>> claims_;
  std::vector<queue::action> actions_;
  // Of the request that is being made.
  std::string node_;
  // The watches that were asked for and not answered yet, in order.
  std::deque<std::string> watches_asked_;
  parents parents_;
  std::size_t unanswered_ = 0;
  bool carrying_out_ = false;
};

} // namespace zklock::detail
