#pragma once

#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/observer.hpp>

#include <chrono>
#include <memory>

namespace zklock::detail {

/// One acquire as its client's observer sees it, from its start to its end.
///
/// Invariant: the observer is told of an end once, at the latest when this is destroyed.
class observation {
 public:
  /// Tells of the start. Returns null where the client has no observer. Any thread.
  static std::unique_ptr<observation> start(const lock_request& wanted,
                                            std::chrono::nanoseconds timeout);

  /// Tells that an acquire never began. Any thread.
  static void abandon(std::unique_ptr<observation> one, error_code why);

  /// The end that was not told is that of the execution context.
  ~observation();

  observation(const observation&) = delete;
  observation& operator=(const observation&) = delete;

  // On the client's strand.
  void granted(fencing_token token);
  void reentered();
  void not_granted(error_code why);
  void lost(error_code why);
  void released();

 private:
  enum class stage { waiting, held, ended };

  explicit observation(std::shared_ptr<client_impl> client) noexcept;

  template <class Function>
  void tell(stage next, Function function);

  const std::shared_ptr<client_impl> client_;
  stage stage_ = stage::waiting;
  std::shared_ptr<void> span_;
};

} // namespace zklock::detail
