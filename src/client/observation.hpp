#pragma once

#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/observer.hpp>

#include "client/client_core.hpp"

#include <chrono>
#include <memory>

namespace zklock::detail {

/// An acquire as the client's observer sees it, from its start to its end.
///
/// Invariant: the observer is told of the end once, at the latest by the destructor.
class observation : public std::enable_shared_from_this<observation> {
 public:
  /// Tells of the start. Returns null if the client has no observer. `core` keeps the client alive.
  /// Any thread.
  static std::shared_ptr<observation> start(std::shared_ptr<client_core> core,
                                            const lock_request& wanted,
                                            std::chrono::nanoseconds timeout);

  /// Tells that an acquire never began. Any thread.
  static void abandon(std::shared_ptr<observation> one, error_code why);

  /// If the observer was not told of an end, the execution context has ended.
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

  observation(std::shared_ptr<client_core> core, std::shared_ptr<observer> to) noexcept;

  template <class Function>
  void tell(stage next, Function function);

  const std::shared_ptr<client_core> core_;
  // Belongs to the program; null once the end was told.
  std::shared_ptr<observer> observer_;
  stage stage_ = stage::waiting;
  std::shared_ptr<void> span_;
};

} // namespace zklock::detail
