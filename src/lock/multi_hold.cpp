#include <zklock/multi_hold.hpp>

#include "client/lock_calls.hpp"
#include "client/start_operation.hpp"
#include "lock/joint_operation.hpp"

#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <utility>

namespace zklock {

namespace {

namespace asio = boost::asio;
using acquisition_list = std::vector<std::shared_ptr<detail::acquisition>>;

void release_later(const acquisition_list& all) noexcept {
  for (const auto& each : all)
    if (each) each->client()->release(each);
}

// Releases all holds at once, and waits for all. If it is destroyed before it begins, the holds are
// released in the background.
class release_all final : public detail::joint_operation<error_code> {
 public:
  explicit release_all(acquisition_list acquisitions)
      : joint_operation(detail::core_of(acquisitions.front()->client()), acquisitions.size()),
        acquisitions_(std::move(acquisitions)),
        left_(acquisitions_.size()) {
    for (const auto& each : acquisitions_)
      each->release().mark();
  }

  ~release_all() override { release_later(acquisitions_); }

 private:
  void begin() override {
    for (std::size_t i = 0; i < acquisitions_.size(); ++i) {
      auto& client = *acquisitions_[i]->client();
      auto ended = [this](error_code error) { released(error); };
      detail::start_operation(
          client.core(), part<detail::plain_signature>(i, client.core(), std::move(ended)),
          [&](const auto& op) { client.release(std::exchange(acquisitions_[i], nullptr), op); },
          errc::closed);
    }
  }

  void released(error_code error) {
    if (!first_error_) first_error_ = error;
    if (--left_ == 0) finish(first_error_);
  }

  acquisition_list acquisitions_;
  std::size_t left_;
  error_code first_error_;
};

// Waits until the first of the holds is lost.
class lose_any final : public detail::joint_operation<error_code, error_code> {
 public:
  explicit lose_any(acquisition_list acquisitions)
      : joint_operation(detail::core_of(acquisitions.front()->client()), acquisitions.size()),
        acquisitions_(std::move(acquisitions)),
        left_(acquisitions_.size()) {}

 private:
  void begin() override {
    for (std::size_t i = 0; i < acquisitions_.size(); ++i) {
      const auto held = acquisitions_[i]->holder().shared_from_this();
      auto& client = *held->client();
      auto ended = [this](error_code error, error_code why) { lost(error, why); };
      detail::start_operation(
          client.core(), part<detail::lost_signature>(i, client.core(), std::move(ended)),
          [&](const auto& op) { client.wait_lost(held, op); }, {}, held->why_over());
    }
  }

  void lost(error_code error, error_code why) {
    --left_;
    // When all holds are released at once, the loss of a hold may still be on its way.
    if (error && left_ != 0) return;
    finish(error, why);
    cancel_parts();
  }

  const acquisition_list acquisitions_;
  std::size_t left_;
};

detail::acquisition* front_of(const acquisition_list& all) noexcept {
  return all.empty() ? nullptr : all.front().get();
}

} // namespace

bool multi_hold::owns_lock() const noexcept {
  return !holds_.empty() &&
         std::all_of(holds_.begin(), holds_.end(), [](const hold& h) { return h.owns_lock(); });
}

hold_state multi_hold::state() const noexcept {
  auto worst = hold_state::empty;
  for (const auto& each : holds_)
    worst = std::max(worst, each.state());
  return worst;
}

boot_clock::time_point multi_hold::valid_until() const noexcept {
  if (holds_.empty()) return boot_clock::time_point::min();
  auto earliest = boot_clock::time_point::max();
  for (const auto& each : holds_)
    earliest = std::min(earliest, each.valid_until());
  return earliest;
}

// The holds are released together, so the first hold tells for all.
std::span<const hold> multi_hold::holds() const noexcept {
  if (holds_.empty() || holds_.front().state() == hold_state::empty) return {};
  return holds_;
}

asio::any_io_executor multi_hold::get_executor() const noexcept {
  if (holds().empty()) return asio::system_executor();
  return detail::hold_access::own_of(holds_.front())->core().executor();
}

multi_hold::acquisition_list multi_hold::acquisitions() const {
  acquisition_list all;
  for (const auto& each : holds_)
    all.push_back(detail::hold_access::own_of(each));
  return all;
}

void multi_hold::start_release(const acquisition_list& acquisitions,
                               detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(front_of(acquisitions), handler)) return;
  if (!std::make_shared<release_all>(acquisitions)->start(handler))
    detail::end_without_context(std::move(handler));
}

void multi_hold::start_wait_lost(const acquisition_list& acquisitions,
                                 detail::handler<detail::lost_signature> handler) {
  if (detail::end_if_empty(front_of(acquisitions), handler)) return;
  if (!std::make_shared<lose_any>(acquisitions)->start(handler))
    detail::end_without_context(std::move(handler), {}, acquisitions.front()->holder().why_over());
}

} // namespace zklock
