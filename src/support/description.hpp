#pragma once

namespace zklock {

/// Reads the whole state of a queue and of its line, for tests that compare states.
template <class Writer>
class description;

} // namespace zklock
