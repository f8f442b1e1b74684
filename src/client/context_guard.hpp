#pragma once

#include "client/context_gate.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <list>
#include <memory>

namespace zklock::detail {

/// Guards an execution context against threads that do not run it: the destruction of the context
/// waits while such threads use the context, and takes the executors that must not outlive it. Any
/// thread.
class context_guard {
 public:
  /// An executor of the context, which the guard owns.
  struct kept_executor {
    boost::asio::any_io_executor at_once;
    /// With `blocking.never`.
    boost::asio::any_io_executor later;
  };
  using place = std::list<kept_executor>::iterator;

  /// Returns the guard of a context, which exists.
  static std::shared_ptr<context_guard> of(boost::asio::execution_context& context);

  /// While the result is true, the context is not destroyed.
  context_gate::inside enter() noexcept { return context_gate::inside(gate_); }
  bool is_gone() const noexcept { return gate_.is_shut(); }

  /// The context exists. The executor lives until `drop`, or until the context is destroyed.
  place keep(kept_executor executor);
  void drop(place which) noexcept;

  /// The context is being destroyed. Only the first call has an effect.
  void destroy_executors() noexcept;
  /// The context was notified of a fork, in the child.
  void forked() noexcept { gate_.forked(); }

 private:
  context_gate gate_;
  std::list<kept_executor> kept_;
};

} // namespace zklock::detail
