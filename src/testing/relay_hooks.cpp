#include "testing/relay_hooks.hpp"

#include <zklock/testing/error.hpp>

#include "testing/relay_impl.hpp"

#include <memory>
#include <utility>

namespace zklock::testing {

hook relay_hooks::when(direction way, frame_predicate which, reaction what) {
  auto& impl = *relay_.impl_;
  if (!impl.core->has_frames())
    throw error("cannot add a hook: the option frames of the relay is false");
  auto state = std::make_shared<hook::state>(way, std::move(which), what);
  impl.thread->run([&] { impl.core->add_hook(state); });
  return hook(state);
}

hook relay_hooks::cut_before_request(operation kind) {
  return when(
      direction::to_server, [kind](const frame& one) { return one.kind == kind; },
      reaction::cut_before);
}

hook relay_hooks::cut_before_reply(operation kind) {
  return when(
      direction::to_client, [kind](const frame& one) { return one.kind == kind; },
      reaction::cut_before);
}

} // namespace zklock::testing
