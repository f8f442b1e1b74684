#include "client/observation.hpp"

#include "client/acquisition.hpp"
#include "client/call_user.hpp"
#include "client/client_impl.hpp"
#include "inspect/lock_layout.hpp"

#include <utility>

namespace zklock::detail {

std::unique_ptr<observation> observation::start(const lock_request& wanted,
                                                std::chrono::nanoseconds timeout) {
  const auto& client = *wanted.client;
  const auto& observer = client.options().observer;
  if (!observer) return nullptr;
  std::unique_ptr<observation> made(new observation(wanted.client));
  const auto mode = mode_of(wanted);
  call_user(client.get_executor(), [&] {
    made->span_ = observer->acquire_started({.path = wanted.path->given,
                                             .type = type_of(wanted.path->kind),
                                             .role = role_of(*wanted.path, mode.wants),
                                             .permits = mode.permits,
                                             .timeout = timeout});
  });
  return made;
}

void observation::abandon(std::unique_ptr<observation> one, error_code why) {
  const auto client = one->client_;
  client->run([one = std::move(one), why] { one->not_granted(why); });
}

observation::observation(std::shared_ptr<client_impl> client) noexcept
    : client_(std::move(client)) {}

observation::~observation() {
  auto& observer = *client_->options().observer;
  try {
    if (stage_ == stage::waiting) observer.not_granted(span_, errc::closed);
    if (stage_ == stage::held) observer.lost(span_, errc::closed);
  } catch (...) {
    // There may be no context to rethrow it in.
  }
}

template <class Function>
void observation::tell(stage next, Function function) {
  stage_ = next;
  call_user(client_->get_executor(), [&] { function(*client_->options().observer); });
  if (next == stage::ended) span_ = nullptr;
}

void observation::granted(fencing_token token) {
  tell(stage::held, [&](observer& told) { told.granted(span_, token); });
}

void observation::reentered() {
  tell(stage::ended, [&](observer& told) { told.reentered(span_); });
}

void observation::not_granted(error_code why) {
  tell(stage::ended, [&](observer& told) { told.not_granted(span_, why); });
}

void observation::lost(error_code why) {
  tell(stage::ended, [&](observer& told) { told.lost(span_, why); });
}

void observation::released() {
  tell(stage::ended, [&](observer& told) { told.released(span_); });
}

} // namespace zklock::detail
