#pragma once

#include "support/run.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace zklock::test {

/// An operation under way. Its handler must be called once.
template <class... Results>
class pending {
 public:
  /// The completion token to start the operation with.
  auto token() {
    return [state = state_](error_code error, Results... results) {
      BOOST_TEST(!state->has_value());
      state->emplace(error, std::move(results)...);
    };
  }

  bool done() const { return state_->has_value(); }

  /// The error of the completed operation.
  error_code error() const { return std::get<0>(**state_); }

  /// The first result of the completed operation.
  auto& result() { return std::get<1>(**state_); }

  /// Waits inside a coroutine until the operation has completed; returns its error. A hold must be
  /// empty if the operation has failed.
  asio::awaitable<error_code> wait(std::chrono::seconds limit = 30s) {
    const auto completed = [this] { return done(); };
    co_await eventually(completed, limit);
    if constexpr ((std::is_same_v<Results, hold> || ...))
      BOOST_TEST((!error() || result().state() == hold_state::empty));
    co_return error();
  }

  /// Waits inside a coroutine until the operation has completed; returns its error and its results,
  /// which can be taken once.
  asio::awaitable<std::tuple<error_code, Results...>> get() {
    co_await wait();
    co_return std::move(**state_);
  }

 private:
  std::shared_ptr<std::optional<std::tuple<error_code, Results...>>> state_ =
      std::make_shared<std::optional<std::tuple<error_code, Results...>>>();
};

} // namespace zklock::test
