#include <zklock/acquire_any.hpp>

#include "client/lock_calls.hpp"
#include "lock/joint_operation.hpp"
#include "lock/lock_access.hpp"
#include "lock/time_left.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/system_executor.hpp>

#include <memory>
#include <utility>

namespace zklock::detail {

namespace {

// Waits for all locks at once.
class acquire_first final : public joint_operation<error_code, std::size_t, hold> {
 public:
  acquire_first(std::vector<any_lock> locks, const owned_options& options)
      : joint_operation(core_of(lock_access::request_of(locks.front()).client), locks.size()),
        locks_(std::move(locks)),
        time_left_(options.view().timeout.left()),
        options_(options),
        waiting_(locks_.size()) {
    for (const auto& lock : locks_)
      observed_.push_back(observe(lock_access::request_of(lock), options_.view().timeout.left()));
  }

 private:
  void begin() override {
    const auto options = options_.with_timeout(time_left_());
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const auto& request = lock_access::request_of(locks_[i]);
      auto ended = [this, i](error_code error, hold got) { done(i, error, std::move(got)); };
      request.client->acquire(request, options,
                              part<acquire_signature>(i, request.client->core(), std::move(ended)),
                              std::move(observed_[i]));
    }
  }

  void done(std::size_t which, error_code error, hold got) {
    --waiting_;
    if (!error) {
      finish({}, which, std::move(got));
      cancel_parts();
    } else if (waiting_ == 0) {
      finish(error, locks_.size(), {});
    }
  }

  std::vector<any_lock> locks_;
  const time_left time_left_;
  const owned_options options_;
  std::size_t waiting_;
  // The observations of the acquires that have not begun.
  std::vector<std::shared_ptr<observation>> observed_;
};

} // namespace

asio::any_io_executor executor_of(const std::vector<any_lock>& locks) noexcept {
  if (locks.empty()) return asio::system_executor();
  return locks.front().get_executor();
}

void start_acquire_any(std::vector<any_lock> locks, const owned_options& options,
                       handler<any_signature> handler) {
  const auto executor = executor_of(locks);
  if (locks.empty()) {
    stored_handler<error_code, std::size_t, hold>(std::move(handler), executor)
        .post(errc::bad_lock_list, 0, {});
    return;
  }
  if (!std::make_shared<acquire_first>(std::move(locks), options)->start(handler))
    end_without_context(std::move(handler));
}

} // namespace zklock::detail
