// The simulation of test/simulation, with the bytes in the place of its random numbers: they choose
// the clients, the events, the faults, and names of children that belong to no client. The referee
// of the simulation judges every grant.
#include "fuzz.hpp"
#include "simulation/history.hpp"

#include <iterator>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using simulation::lock_kind;
  static constexpr lock_kind kinds[] = {lock_kind::exclusive, lock_kind::shared,
                                        lock_kind::counted};
  zklock::fuzz::input in(data, size);
  const auto kind = kinds[in.below(std::size(kinds))];
  simulation::history history(simulation::dice(1, in.rest()), kind, false);
  try {
    history.run();
  } catch (const simulation::failure& broken) {
    zklock::fuzz::require(false, broken.what());
  }
  return 0;
}
