#include <zklock/multi_lock.hpp>

#include "client/lock_calls.hpp"
#include "lock/joint_operation.hpp"
#include "lock/lock_access.hpp"
#include "lock/lock_list.hpp"
#include "lock/time_left.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace zklock {

namespace {

namespace asio = boost::asio;

// Reserves room for all locks, then acquires the locks in their order.
class acquire_all final : public detail::joint_operation<error_code, multi_hold> {
 public:
  acquire_all(std::shared_ptr<const detail::lock_list> list, const detail::owned_options& options,
              bool is_try)
      : joint_operation(
            detail::core_of(detail::lock_access::request_of(list->locks.front()).client), 1),
        list_(std::move(list)),
        left_(options.view().timeout.left()),
        options_(options),
        is_try_(is_try),
        clients_(detail::clients_of(*list_)),
        holds_(list_->locks.size()),
        observed_(holds_.size()) {
    for (const auto at : list_->order)
      observed_[at] = observe(at);
  }

 private:
  void begin() override { reserve(); }

  // Otherwise an operation that holds some locks could wait for room of an operation that waits for
  // these locks. Clients have an order, too: an operation that has room of a client waits for room
  // of later clients only. A single lock is held once there is room for it.
  void reserve() {
    if (holds_.size() == 1 || rooms_.size() == clients_.size()) return next();
    auto* const client = clients_[rooms_.size()];
    std::vector<detail::lock_request> wanted;
    for (const auto& each : list_->locks)
      if (const auto& one = detail::lock_access::request_of(each); one.client.get() == client)
        wanted.push_back(one);
    auto ended = [this](error_code error, std::shared_ptr<detail::reserved_room> got) {
      reserved(error, std::move(got));
    };
    const auto& owner = options_.view().owner;
    client->reserve(std::move(wanted), owner ? owner->id() : 0, left_(),
                    part<detail::room_signature>(0, client->core(), std::move(ended)));
  }

  void reserved(error_code error, std::shared_ptr<detail::reserved_room> got) {
    if (error) return fail(error);
    rooms_.push_back(std::move(got));
    if (cancelled()) return fail(asio::error::operation_aborted);
    reserve();
  }

  // Null if a single lock is wanted, or the owner holds all of the client's locks.
  std::shared_ptr<detail::reserved_room> room_of(const detail::lock_calls& client) const {
    if (rooms_.empty()) return nullptr;
    const auto found = std::find(clients_.begin(), clients_.end(), &client);
    return rooms_[static_cast<std::size_t>(found - clients_.begin())];
  }

  const detail::lock_request& request(std::size_t at) const noexcept {
    return detail::lock_access::request_of(list_->locks[at]);
  }

  std::shared_ptr<detail::observation> observe(std::size_t at) const {
    return detail::observe(request(at), options_.view().timeout.left());
  }

  void next() {
    const auto at = list_->order[held_];
    auto& client = *request(at).client;
    auto ended = [this](error_code error, hold got) { granted(error, std::move(got)); };
    client.acquire(request(at), options_.with_timeout(left_()),
                   part<detail::acquire_signature>(0, client.core(), std::move(ended)),
                   std::move(observed_[at]), room_of(client));
  }

  void granted(error_code error, hold got) {
    if (error) return fail(error);
    if (held_ == 0) first_granted_ = clock::now();
    holds_[list_->order[held_]] = std::move(got);
    if (++held_ == holds_.size()) return all_granted();
    if (cancelled()) return fail(asio::error::operation_aborted);
    next();
  }

  // The first locks may have been lost while the operation waited for the last locks. The operation
  // then begins anew, as a waiter that loses its entry gets in line again, unless the wait exceeds
  // the hold limit. An acquire completes only while the session is proven, also for an owner that
  // holds the lock already: so beginning anew waits for that proof, or ends by the timeout.
  void all_granted() {
    auto all = detail::hold_access::make(std::exchange(holds_, {}));
    if (all.owns_lock()) {
      rooms_.clear();
      return finish({}, std::move(all));
    }
    all = multi_hold();
    if (cancelled()) return fail(asio::error::operation_aborted);
    if (clock::now() - first_granted_ >= options_.view().hold_limit)
      return fail(errc::hold_limit_reached);
    rooms_.clear();
    holds_.resize(list_->locks.size());
    held_ = 0;
    for (const auto at : list_->order)
      observed_[at] = observe(at);
    reserve();
  }

  // Releases first: when the handler runs, the locks that were acquired are being released already.
  void fail(error_code why) {
    holds_.clear();
    rooms_.clear();
    for (auto& each : observed_)
      if (each) detail::observation::abandon(std::move(each), why);
    finish(is_try_ && why == errc::busy ? error_code() : why, {});
  }

  using clock = std::chrono::steady_clock;

  const std::shared_ptr<const detail::lock_list> list_;
  const detail::time_left left_;
  const detail::owned_options options_;
  const bool is_try_;
  // The clients, and the rooms that are reserved of the first clients.
  const std::vector<detail::lock_calls*> clients_;
  std::vector<std::shared_ptr<detail::reserved_room>> rooms_;
  // In the order of the caller's list. The first `held_` locks by `lock_list::order` are held.
  std::vector<hold> holds_;
  std::size_t held_ = 0;
  // The observations of the acquires that have not begun.
  std::vector<std::shared_ptr<detail::observation>> observed_;
  clock::time_point first_granted_;
};

} // namespace

multi_lock::multi_lock(std::vector<any_lock> locks)
    : list_(std::make_shared<detail::lock_list>(detail::make_lock_list(std::move(locks)))) {}

multi_lock::executor_type multi_lock::get_executor() const noexcept {
  return list_->locks.front().get_executor();
}

void multi_lock::start_acquire(const std::shared_ptr<const detail::lock_list>& list,
                               const detail::owned_options& options, bool is_try,
                               detail::handler<detail::multi_signature> handler) {
  if (!std::make_shared<acquire_all>(list, options, is_try)->start(handler))
    detail::end_without_context(std::move(handler));
}

} // namespace zklock
