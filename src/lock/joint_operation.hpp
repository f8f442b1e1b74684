#pragma once

#include "client/client_core.hpp"
#include "client/operation.hpp"
#include "lock/turns.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace zklock::detail {

/// The part of a joint operation that does not depend on its results.
class joint_core : public dependent, public std::enable_shared_from_this<joint_core> {
 public:
  joint_core(const joint_core&) = delete;
  joint_core& operator=(const joint_core&) = delete;
  virtual ~joint_core() = default;

  /// Calls a function, but no two at a time: while another thread does so, that thread calls this
  /// function, too.
  template <class Function>
  void in_turn(Function function) {
    const auto self = shared_from_this();
    turns_.run(std::move(function));
  }

 protected:
  /// `parts`: how many parts may be under way at a time.
  joint_core(std::shared_ptr<client_core> first, std::size_t parts)
      : first_(std::move(first)), signals_(parts) {}

  /// Makes the handler of a part, which takes turns with the other parts. Cancelling the operation
  /// cancels the part. A handler that is destroyed with the execution context of the part's client
  /// ends the part with `errc::closed`.
  template <class Signature, class Function>
  handler<Signature> part(std::size_t which, const client_core& of, Function function);

  client_core& first() const noexcept { return *first_; }
  /// Whether the operation was cancelled.
  bool cancelled() const noexcept { return cancelled_; }
  void cancel() {
    cancelled_ = true;
    cancel_parts();
  }
  void cancel_parts() {
    for (auto& each : signals_)
      each.emit(asio::cancellation_type::terminal);
  }
  /// Whether the caller completes the operation: the first caller does.
  bool completes() noexcept { return !over_.exchange(true); }

 private:
  const std::shared_ptr<client_core> first_;
  turns turns_;
  std::vector<asio::cancellation_signal> signals_;
  bool cancelled_ = false;
  std::atomic<bool> over_{false};
};

/// The executor of a part's handler: of the execution context of the part's client, but it calls
/// functions of the parts in turn.
class part_executor {
 public:
  part_executor(std::shared_ptr<joint_core> whole, asio::any_io_executor of) noexcept
      : whole_(std::move(whole)), of_(std::move(of)) {}

  asio::execution_context& query(asio::execution::context_t) const noexcept {
    return asio::query(of_, asio::execution::context);
  }
  asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept {
    return never_ ? asio::execution::blocking_t(asio::execution::blocking.never)
                  : asio::execution::blocking_t(asio::execution::blocking.possibly);
  }
  part_executor require(asio::execution::blocking_t::never_t) const noexcept {
    auto made = *this;
    made.never_ = true;
    return made;
  }
  part_executor require(asio::execution::blocking_t::possibly_t) const noexcept {
    return {whole_, of_};
  }

  template <class Function>
  void execute(Function&& function) const {
    if (!never_) return whole_->in_turn(std::decay_t<Function>(std::forward<Function>(function)));
    asio::post(of_, [whole = whole_, function = std::decay_t<Function>(
                                         std::forward<Function>(function))]() mutable {
      whole->in_turn(std::move(function));
    });
  }

  const std::shared_ptr<joint_core>& whole() const noexcept { return whole_; }

  friend bool operator==(const part_executor& a, const part_executor& b) noexcept {
    return a.whole_ == b.whole_ && a.of_ == b.of_ && a.never_ == b.never_;
  }
  friend bool operator!=(const part_executor& a, const part_executor& b) noexcept {
    return !(a == b);
  }

 private:
  std::shared_ptr<joint_core> whole_;
  asio::any_io_executor of_;
  bool never_ = false;
};

template <class Signature, class Function>
class part_handler;

template <class... Results, class Function>
class part_handler<void(Results...), Function> {
 public:
  using executor_type = part_executor;
  using cancellation_slot_type = asio::cancellation_slot;

  part_handler(part_executor on, asio::cancellation_slot slot, Function function)
      : on_(std::move(on)), slot_(slot), function_(std::move(function)) {}
  part_handler(part_handler&& other) noexcept
      : on_(other.on_),
        slot_(other.slot_),
        function_(std::move(other.function_)),
        pending_(std::exchange(other.pending_, false)) {}
  part_handler& operator=(part_handler&&) = delete;
  ~part_handler() {
    if (!pending_) return;
    on_.whole()->in_turn(
        [function = std::move(function_)]() mutable { with_closed<Results...>(function); });
  }

  executor_type get_executor() const noexcept { return on_; }
  cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

  void operator()(Results... results) {
    pending_ = false;
    function_(std::move(results)...);
  }

 private:
  part_executor on_;
  asio::cancellation_slot slot_;
  Function function_;
  bool pending_ = true;
};

template <class Signature, class Function>
handler<Signature> joint_core::part(std::size_t which, const client_core& of, Function function) {
  return {part_handler<Signature, Function>(part_executor(shared_from_this(), of.executor()),
                                            signals_[which].slot(), std::move(function)),
          of.executor()};
}

/// An operation composed of operations, possibly of clients in several execution contexts. The
/// handlers of the parts own it, and so does the first client until the operation has ended.
///
/// Invariant: the handler belongs to the execution context of the first client, unless it is bound
/// to an executor elsewhere. It is posted while that context exists, or dropped with it.
template <class... Args>
class joint_operation : public joint_core {
 public:
  /// Returns false, and leaves the handler alone, if the context of the first client is gone.
  bool start(handler<void(Args...)>& outer) noexcept {
    if (!take(outer)) return false;
    // In a single function of the context: then the requests of all parts are sent together.
    if (const auto inside = first().enter())
      asio::dispatch(first().executor(),
                     [this, self = shared_from_this()] { in_turn([this] { begin(); }); });
    return true;
  }

  void context_gone() noexcept final {
    if (completes()) outer_->drop();
    in_turn([this] { cancel(); });
  }

 protected:
  using joint_core::joint_core;

  /// Starts the first part or all of them.
  virtual void begin() = 0;

  /// Completes the operation. Only the first call has an effect.
  void finish(Args... args) {
    const auto inside = first().enter();
    if (!inside || !completes()) return;
    outer_->post(std::move(args)...);
    first().dependents().remove(*this);
  }

 private:
  bool take(handler<void(Args...)>& outer) {
    const auto inside = first().enter();
    if (!inside) return false;
    outer_.emplace(std::move(outer), first().executor());
    // Posted: the work of the parts must not run inside the call that cancels.
    on_cancellation(outer_->slot(), shared_from_this(), [](const auto& self, auto) {
      auto& found = static_cast<joint_operation&>(*self);
      if (const auto in_context = found.first().enter())
        asio::post(found.first().later(),
                   [self, &found] { found.in_turn([&found] { found.cancel(); }); });
    });
    first().dependents().add(shared_from_this());
    return true;
  }

  std::optional<stored_handler<Args...>> outer_;
};

} // namespace zklock::detail
