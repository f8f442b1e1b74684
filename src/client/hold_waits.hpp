#pragma once

#include <zklock/error.hpp>

#include "client/boot_timer.hpp"
#include "client/held_data.hpp"
#include "client/operation.hpp"

#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace zklock::detail {

class query;

/// The operations, queries and bodies that wait for the events of a hold, and its release requests.
/// Takes memory only for holds that have some. Used on the client's strand only.
///
/// Invariant: once the hold has ended no operation and no query waits.
class hold_waits {
 public:
  void add(operation<error_code, error_code> lost) { some().losses.push_back(std::move(lost)); }
  void add(const std::shared_ptr<query>& added);
  /// Adds the timer of a body that relies on the hold.
  void add(boot_timer_link body);

  void cancel(const operation<error_code, error_code>& lost);
  void cancel_identity(const operation<error_code>& op);

  /// Has the timers of the bodies expire: the end of the bodies may have become earlier.
  void hurry_bodies();

  /// The hold has ended: completes the waits for its loss, and fails the queries.
  void end(error_code result, error_code why_lost);

  // A downgrade that is under way.

  bool is_downgrading() const noexcept { return rare_ && rare_->is_downgrading; }
  /// Whether an operation waits for the downgrade.
  bool awaits_downgrade() const noexcept { return rare_ && rare_->downgrade; }
  void begin_downgrade(operation<error_code> op);
  void end_downgrade(error_code result);
  void cancel_downgrade(const operation<error_code>& op);

  /// The node's data.
  held_data& data() { return some().data; }
  /// See `held_data::version_of_request`.
  std::int32_t version_of_request(std::int32_t seen, std::string_view text) const noexcept {
    return rare_ ? rare_->data.version_of_request(seen, text) : seen;
  }
  /// The version of the node's data up to which release requests were delivered.
  std::int32_t requests_until() const noexcept { return rare_ ? rare_->requests_until : 0; }
  void set_requests_until(std::int32_t version) { some().requests_until = version; }

  /// The execution context is gone. Completes the handlers that run in another context, and
  /// destroys all other handlers without a call.
  void drop(const boost::asio::execution_context& gone) noexcept;

 private:
  struct lists {
    std::int32_t requests_until = 0;
    bool is_downgrading = false;
    held_data data{};
    operation<error_code> downgrade{};
    std::vector<std::weak_ptr<query>> queries{};
    std::vector<operation<error_code, error_code>> losses{};
    std::vector<boot_timer_link> bodies{};
  };

  lists& some() {
    if (!rare_) rare_ = std::make_unique<lists>();
    return *rare_;
  }

  // Null for most holds.
  std::unique_ptr<lists> rare_;
};

} // namespace zklock::detail
