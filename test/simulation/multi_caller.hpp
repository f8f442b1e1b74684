#pragma once

#include "client.hpp"
#include "world.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace simulation {

/// A caller of several locks of a client, like a `multi_lock`: it reserves room for all of them,
/// acquires them in sequence, in an order that all callers share, and holds all of them or none.
class multi_caller {
 public:
  multi_caller(world& world, client& client, std::size_t number);

  /// Takes its next step: wants locks, releases them, or sometimes gives up.
  void act();

  /// Wants the locks of several directories, named in any order.
  void start();

  /// Releases all, or gives up.
  void finish();

  /// Reads the outcome of its acquisitions, and goes on. Returns whether there was anything to do.
  bool look();

  /// Fails if it holds a part only while it counts as a holder, or holds more than it knows of.
  void check() const;

  const std::string& name() const noexcept { return name_; }
  bool idle() const noexcept { return wanted_.empty(); }

  /// Whether it holds all locks that it wants.
  bool holds() const noexcept { return holds_; }

 private:
  const attempt* find(std::size_t index) const noexcept;
  bool all_held() const noexcept;
  void acquire_next();
  void ask_for_room();
  void release();

  world& world_;
  client& client_;
  const std::string name_;
  struct wanted_lock {
    std::size_t directory;
    zklock::queue::lock_mode asked;
  };

  /// In the order in which they are acquired.
  std::vector<wanted_lock> wanted_;
  client::claim room_;
  /// The acquisitions of the first of them. All but the last were granted.
  std::vector<acquisition_id> acquisitions_;
  bool holds_ = false;
};

} // namespace simulation
