#include "client/observation.hpp"

#include "client/lock_definition.hpp"

#include <utility>

namespace zklock::detail {

std::shared_ptr<observation> observation::start(std::shared_ptr<client_core> core,
                                                const lock_request& wanted,
                                                std::chrono::nanoseconds timeout) {
  auto observer = core->observer();
  if (!observer) return nullptr;
  std::shared_ptr<observation> made(new observation(std::move(core), std::move(observer)));
  const auto mode = mode_of(wanted);
  call_user(made->core_->executor(), [&] {
    made->span_ = made->observer_->acquire_started({.path = wanted.path->given,
                                                    .type = type_of(wanted.path->kind),
                                                    .role = role_of(*wanted.path, mode.wants),
                                                    .permits = mode.permits,
                                                    .timeout = timeout});
  });
  return made;
}

void observation::abandon(std::shared_ptr<observation> one, error_code why) {
  const auto core = one->core_;
  core->run([one = std::move(one), why] { one->not_granted(why); });
}

observation::observation(std::shared_ptr<client_core> core, std::shared_ptr<observer> to) noexcept
    : core_(std::move(core)), observer_(std::move(to)) {}

observation::~observation() {
  try {
    if (stage_ == stage::waiting) observer_->not_granted(span_, errc::closed);
    if (stage_ == stage::held) observer_->lost(span_, errc::closed);
  } catch (...) {
    // No context may be left to rethrow the exception in.
  }
}

// If the execution context drops the call, the destructor tells the observer of the end.
template <class Function>
void observation::tell(stage next, Function function) {
  core_->call_program([self = shared_from_this(), next, function] {
    self->stage_ = next;
    const auto told =
        next == stage::ended ? std::exchange(self->observer_, nullptr) : self->observer_;
    const auto span = next == stage::ended ? std::exchange(self->span_, nullptr) : self->span_;
    function(*told, span);
  });
}

void observation::granted(fencing_token token) {
  tell(stage::held, [token](observer& told, const auto& span) { told.granted(span, token); });
}

void observation::reentered() {
  tell(stage::ended, [](observer& told, const auto& span) { told.reentered(span); });
}

void observation::not_granted(error_code why) {
  tell(stage::ended, [why](observer& told, const auto& span) { told.not_granted(span, why); });
}

void observation::lost(error_code why) {
  tell(stage::ended, [why](observer& told, const auto& span) { told.lost(span, why); });
}

void observation::released() {
  tell(stage::ended, [](observer& told, const auto& span) { told.released(span); });
}

} // namespace zklock::detail
