#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/version.hpp>

#if BOOST_ASIO_VERSION >= 102800
#  include <boost/asio/associated_immediate_executor.hpp>
#  include <boost/asio/execution/blocking.hpp>
#  include <boost/asio/require.hpp>

#  include <concepts>
#  include <memory>
#  include <type_traits>
#endif

namespace zklock::detail {

namespace asio = boost::asio;

#if BOOST_ASIO_VERSION >= 102800 // Boost 1.82

/// An executor that no handler has.
struct default_executor {
  template <class Function>
  void execute(Function&& function) const;

  default_executor require(asio::execution::blocking_t::never_t) const { return *this; }

  friend bool operator==(default_executor, default_executor) noexcept { return true; }
  friend bool operator!=(default_executor, default_executor) noexcept { return false; }
};

/// The type of a handler's immediate executor; `default_executor` if the handler has none.
template <class Handler>
using immediate_executor_of = asio::associated_immediate_executor_t<Handler, default_executor>;

template <class Handler>
concept accepted_immediate = std::is_same_v<immediate_executor_of<Handler>, default_executor> ||
                             std::convertible_to < const immediate_executor_of<Handler>
&, asio::any_completion_executor > ;

/// The associated immediate executor of a handler, if the handler has one of its own.
class immediate_executor {
 public:
  /// `fallback` is the executor for a handler without an executor.
  template <class Handler>
  immediate_executor(const Handler& handler, const asio::any_io_executor& fallback) {
    if constexpr (!std::is_same_v<immediate_executor_of<Handler>, default_executor>) {
      const auto erased = [](const auto& e) { return asio::any_completion_executor(e); };
      const auto own = erased(asio::get_associated_immediate_executor(handler, fallback));
      // A type-erased handler always has an immediate executor, perhaps the default one.
      if (own != erased(asio::require(fallback, asio::execution::blocking.never)))
        executor_ = std::make_unique<asio::any_completion_executor>(own);
    }
  }

  /// Null if the handler has none.
  const asio::any_completion_executor* get() const noexcept { return executor_.get(); }

 private:
  std::unique_ptr<const asio::any_completion_executor> executor_;
};

#else

template <class Handler>
concept accepted_immediate = true;

/// Handlers have no immediate executor in this release of Boost.
struct immediate_executor {
  template <class Handler>
  immediate_executor(const Handler&, const asio::any_io_executor&) noexcept {}

  static constexpr const asio::any_completion_executor* get() noexcept { return nullptr; }
};

#endif

} // namespace zklock::detail
