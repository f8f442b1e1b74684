#include <zklock/observer.hpp>

namespace zklock {

observer::~observer() = default;

void observer::state_changed(connection_state) {}

std::shared_ptr<void> observer::acquire_started(const observed_acquire&) {
  return nullptr;
}

void observer::granted(const std::shared_ptr<void>&, fencing_token) {}

void observer::reentered(const std::shared_ptr<void>&) {}

void observer::not_granted(const std::shared_ptr<void>&, error_code) {}

void observer::lost(const std::shared_ptr<void>&, error_code) {}

void observer::released(const std::shared_ptr<void>&) {}

} // namespace zklock
