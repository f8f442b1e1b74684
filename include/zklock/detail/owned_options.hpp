#pragma once

#include <zklock/acquire_options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace zklock::detail {

/// The options of an acquire, which refer to copies of the text and the function of the program.
/// Copies of the object share them. Most acquires have neither, and allocate nothing.
class owned_options {
 public:
  explicit owned_options(const acquire_options& given) : view_(given) {
    auto queued = given.queued.copy();
    if (given.identity.empty() && !queued) return;
    kept_ = std::make_shared<const kept>(kept{std::string(given.identity), std::move(queued)});
    view_.identity = kept_->identity;
    if (kept_->queued) view_.queued = kept_->queued;
  }

  /// Returns options that refer to the copies.
  const acquire_options& view() const noexcept { return view_; }

  owned_options with_timeout(time_limit timeout) const {
    auto changed = *this;
    changed.view_.timeout = timeout;
    return changed;
  }

  /// Returns a copy of `acquire_options::queued`; empty if the acquire has no function.
  std::function<void(std::size_t)> queued() const {
    return kept_ ? kept_->queued : std::function<void(std::size_t)>();
  }

 private:
  struct kept {
    std::string identity;
    std::function<void(std::size_t)> queued;
  };

  acquire_options view_;
  std::shared_ptr<const kept> kept_;
};

} // namespace zklock::detail
