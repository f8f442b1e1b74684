#pragma once

#include <zklock/error.hpp>

#include <boost/asio/error.hpp>

#include <atomic>
#include <cstdint>

namespace zklock::detail {

/// The phase of an acquisition, and why its hold was lost. Any thread reads the phase; only the
/// thread that grants or ends the hold changes it.
///
/// Invariant: the reason is set before the phase is `lost`, and does not change after that.
class acquisition_phase {
 public:
  enum class value : std::uint8_t { waiting, held, lost, ended };

  value get() const noexcept { return value_.load(std::memory_order_acquire); }
  void set(value next) noexcept { value_.store(next, std::memory_order_release); }
  void lose(error_code why) noexcept {
    lost_why_ = why;
    set(value::lost);
  }

  /// Why the hold ended.
  error_code why_over() const noexcept {
    return get() == value::lost ? lost_why_ : error_code(boost::asio::error::operation_aborted);
  }

 private:
  std::atomic<value> value_{value::waiting};
  error_code lost_why_;
};

} // namespace zklock::detail
