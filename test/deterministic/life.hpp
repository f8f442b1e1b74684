#pragma once

#include "world.hpp"

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deterministic {

namespace asio = boost::asio;

/// A life of a process, as its program sees it: the calls of the library that it makes, the
/// handlers that it waits for, and the objects that it owns beside its coroutines.
///
/// The program behaves as if it held a mutex around each call, and locked it in each function that
/// the library calls.
class life {
 public:
  life(world& world, std::string name) : world_(world), name_(std::move(name)) {}
  life(const life&) = delete;
  life& operator=(const life&) = delete;

  /// While it exists, this thread is inside a call of the library.
  class call {
   public:
    explicit call(const life& by) noexcept : before_(std::exchange(inside_, &by)) {}
    ~call() { inside_ = before_; }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

   private:
    const life* const before_;
  };

  /// The library calls a function of the program.
  void called(std::string_view function) const;

  /// The context of the clients is destroyed from now on, and then the loops.
  void context_ends() noexcept { context_ends_ = true; }
  void loops_end() noexcept { loops_end_ = true; }
  bool has_context() const noexcept { return !context_ends_; }

  /// The handlers that are not called yet, of the context of the clients or of the loops.
  std::size_t open_handlers(bool on_loop) const noexcept { return open_[on_loop]; }

  /// A handler that must be called once, unless it is destroyed with the context that runs it.
  class expected_call {
   public:
    expected_call(std::shared_ptr<life> of, bool on_loop, std::string name);
    expected_call(expected_call&&) noexcept = default;
    expected_call& operator=(expected_call&&) = delete;
    ~expected_call();

    void called();

   private:
    std::shared_ptr<life> life_;
    bool on_loop_;
    std::string name_;
    bool is_called_ = false;
  };

  /// Keeps an object until `drop_one` drops it, or the process ends.
  template <class T>
  void keep(T thing) {
    things_.push_back(std::make_shared<T>(std::move(thing)));
  }
  /// Destroys a random object.
  void drop_one(dice& dice);
  void drop_all();

 private:
  static inline constinit thread_local const life* inside_ = nullptr;

  world& world_;
  const std::string name_;
  bool context_ends_ = false;
  bool loops_end_ = false;
  std::size_t open_[2] = {0, 0};
  std::vector<std::shared_ptr<void>> things_;
};

/// A handler whose calls are counted.
template <class Handler>
struct watched {
  template <class... Results>
  void operator()(Results&&... results) {
    expected.called();
    std::move(handler)(std::forward<Results>(results)...);
  }

  Handler handler;
  life::expected_call expected;
};

/// Starts a deferred operation by a call of a life. Its handler runs on a loop, or on the context
/// of the clients.
template <class Signature, class Operation, class Token>
auto start_by(const std::shared_ptr<life>& by, bool on_loop, std::string name, Operation operation,
              Token&& token) {
  auto initiate = [by, on_loop, name = std::move(name)](auto&& handler, Operation started) {
    using handler_type = std::decay_t<decltype(handler)>;
    watched<handler_type> counted{std::forward<decltype(handler)>(handler), {by, on_loop, name}};
    const life::call now(*by);
    std::move(started)(std::move(counted));
  };
  return asio::async_initiate<Token, Signature>(std::move(initiate), token, std::move(operation));
}

/// Calls a function inside of a destructor while an exception unwinds, or just calls it.
template <class Function>
void call_somehow(bool unwinds, Function function) {
  struct unwound {};
  struct last {
    ~last() { function(); }
    Function& function;
  };
  if (!unwinds) return function();
  try {
    const last at_end{function};
    throw unwound();
  } catch (const unwound&) {}
}

} // namespace deterministic

template <template <class, class> class Associator, class Handler, class Default>
struct boost::asio::associator<Associator, deterministic::watched<Handler>, Default>
    : Associator<Handler, Default> {
  static auto get(const deterministic::watched<Handler>& each) noexcept {
    return Associator<Handler, Default>::get(each.handler);
  }
  static auto get(const deterministic::watched<Handler>& each, const Default& fallback) noexcept {
    return Associator<Handler, Default>::get(each.handler, fallback);
  }
};
