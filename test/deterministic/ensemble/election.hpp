#pragma once

#include "options.hpp"
#include "process.hpp"
#include "vote.hpp"

#include <array>
#include <functional>
#include <optional>

namespace deterministic::servers {

/// A replica's part in an election: ZooKeeper's `FastLeaderElection`.
class election {
 public:
  struct environment {
    process& on;
    simulation::dice& dice;
    int id;
    /// Sends a notification to all other replicas.
    std::function<void(const notification&)> tell;
    /// The leader is elected.
    std::function<void(int leader, std::uint64_t round)> elected;
  };

  election(environment with, std::uint64_t round, vote own);
  ~election();

  void receive(const notification& from);
  notification current() const { return {environment_.id, role::looking, round_, vote_}; }

 private:
  void tell();
  void repeat();
  bool has_quorum(const vote& of) const;
  void join_outside(const notification& from);
  void settle();
  void drop_decision();

  environment environment_;
  std::uint64_t round_;
  const vote own_;
  vote vote_;
  std::array<std::optional<notification>, replicas> received_{};
  /// From replicas that follow or lead.
  std::array<std::optional<notification>, replicas> outside_{};
  time_point interval_;
  process::timer repeat_ = 0;
  process::timer decision_ = 0;
  bool deciding_ = false;
};

} // namespace deterministic::servers
