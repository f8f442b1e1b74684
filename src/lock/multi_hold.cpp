#include <zklock/multi_hold.hpp>

#include "client/start_operation.hpp"
#include "lock/joint_operation.hpp"

#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <utility>

namespace zklock {

namespace {

namespace asio = boost::asio;
using acquisition_list = std::vector<std::shared_ptr<detail::acquisition>>;

// Releases all holds at once, and waits for all.
class release_all final : public detail::joint_operation<error_code> {
 public:
  release_all(const asio::any_io_executor& executor, std::vector<hold> holds,
              detail::handler<detail::plain_signature> outer)
      : joint_operation(executor, std::move(outer), holds.size()),
        holds_(std::move(holds)),
        left_(holds_.size()) {}

 private:
  void begin() override {
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < holds_.size(); ++i)
      holds_[i].release(part(i, [this, self](error_code error) { released(error); }));
  }

  void released(error_code error) {
    if (!first_error_) first_error_ = error;
    if (--left_ == 0) finish(first_error_);
  }

  std::vector<hold> holds_;
  std::size_t left_;
  error_code first_error_;
};

// Waits until the first of the holds is lost.
class lose_any final : public detail::joint_operation<error_code, error_code> {
 public:
  lose_any(const asio::any_io_executor& executor, acquisition_list acquisitions,
           detail::handler<detail::lost_signature> outer)
      : joint_operation(executor, std::move(outer), acquisitions.size()),
        acquisitions_(std::move(acquisitions)),
        left_(acquisitions_.size()) {}

 private:
  void begin() override {
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < acquisitions_.size(); ++i) {
      const auto& each = acquisitions_[i];
      auto done = part(i, [this, self](error_code error, error_code why) { lost(error, why); });
      each->client()->wait_lost(
          each, detail::make_recycled<part_type>(
                    detail::handler<detail::lost_signature>(std::move(done), strand()),
                    each->client()->get_executor()));
    }
  }

  void lost(error_code error, error_code why) {
    --left_;
    // When all are released at once, the loss of one of them may still be on its way.
    if (error && left_ != 0) return;
    finish(error, why);
    cancel_parts();
  }

  using part_type = detail::stored_handler<error_code, error_code>;

  const acquisition_list acquisitions_;
  std::size_t left_;
};

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

asio::any_io_executor multi_hold::get_executor() const noexcept {
  if (holds_.empty()) return asio::system_executor();
  return detail::hold_access::acquisition_of(holds_.front())->client()->get_executor();
}

multi_hold::acquisition_list multi_hold::acquisitions() const {
  acquisition_list all;
  for (const auto& each : holds_)
    all.push_back(detail::hold_access::acquisition_of(each));
  return all;
}

void multi_hold::start_release(multi_hold held, detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(held.holds_.empty(), handler)) return;
  const auto executor = held.get_executor();
  if (detail::hold_access::acquisition_of(held.holds_.front())->client()->gone())
    return detail::end_without_context(std::move(handler));
  std::make_shared<release_all>(executor, std::move(held.holds_), std::move(handler))->start();
}

void multi_hold::start_wait_lost(const acquisition_list& acquisitions,
                                 detail::handler<detail::lost_signature> handler) {
  if (detail::end_if_empty(acquisitions.empty(), handler)) return;
  const auto& client = *acquisitions.front()->client();
  if (client.gone())
    return detail::end_without_context(std::move(handler), {}, acquisitions.front()->why_over());
  std::make_shared<lose_any>(client.get_executor(), acquisitions, std::move(handler))->start();
}

} // namespace zklock
