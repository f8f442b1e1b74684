#pragma once

namespace deterministic {

/// The number of mutexes that this thread has locked in the redirected calls.
inline constinit thread_local int held_mutexes = 0;

} // namespace deterministic
