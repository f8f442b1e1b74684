#pragma once

#include "client.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ensemble_test {

/// The events that all histories together covered.
struct totals {
  std::uint64_t histories = 0;
  std::uint64_t commits = 0;
  std::uint64_t elections = 0;
  std::uint64_t expiries = 0;
  std::uint64_t sessions = 0;
  std::uint64_t events = 0;
  /// Of sessions that were proven within the session timeout before.
  std::uint64_t expiries_after_proof = 0;
};

/// An ensemble with some clients and random faults, until all faults are healed.
class history {
 public:
  using tracer = std::function<void(const std::string& line)>;

  history(std::uint64_t seed, totals& totals, tracer trace = {});

  /// Returns the fault; empty where there is none.
  std::string run();

 private:
  void committed(const servers::transaction& what);
  void trace(const std::string& what) const;
  void strike();
  void check_end();
  void fault(const std::string& what);

  clockwork clock_;
  simulation::dice dice_;
  totals& totals_;
  const tracer trace_;
  servers::ensemble_options options_{};
  std::string fault_;
  std::unique_ptr<servers::ensemble> ensemble_;
  std::deque<client> clients_;
  bool healed_ = false;
};

} // namespace ensemble_test
