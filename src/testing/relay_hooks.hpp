#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/hook.hpp"

namespace zklock::testing {

/// Adds hooks to a relay: reactions to single frames. `relay::heal` ends the silence of hooks that
/// have fired; other hooks remain. Each function throws `error` if `relay_options::frames` is
/// false.
///
/// Thread safety: safe. A `frame_predicate` must not call functions of relays or servers.
class relay_hooks {
 public:
  explicit relay_hooks(relay& door) : relay_(door) {}

  /// Adds a hook: applies `what` to the first frame in direction `way` that `which` selects. If
  /// several hooks select a frame, the hook that was added first applies.
  hook when(direction way, frame_predicate which, reaction what);

  /// Adds a hook that resets the connection instead of forwarding the next request of this type:
  /// the server does not receive it.
  hook cut_before_request(operation kind);

  /// Adds a hook that resets the connection instead of forwarding the next reply to a request of
  /// this type: the client does not learn the result.
  hook cut_before_reply(operation kind);

 private:
  relay& relay_;
};

} // namespace zklock::testing
