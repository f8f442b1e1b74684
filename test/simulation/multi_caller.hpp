#pragma once

#include "client.hpp"
#include "world.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace simulation {

/// A caller that wants several locks of a client, as who uses a `multi_lock` does: it acquires them
/// one after the other, in an order that is the same for all, and has all of them or nothing. A
/// client has one such caller at most.
class multi_caller {
 public:
  multi_caller(world& world, client& client, std::size_t number);

  /// Does what comes next of its own will: wants locks, gives them back, or now and then gives up.
  void act();

  /// Wants the locks of several directories, named in whatever order.
  void start();

  /// Gives all back, or gives up.
  void finish();

  /// Hears what became of its acquisitions, and goes on. Returns whether there was anything to do.
  bool look();

  /// Fails where it has a part only while it is said to hold, or has more than it knows of.
  void check() const;

  const std::string& name() const noexcept { return name_; }
  bool idle() const noexcept { return wanted_.empty(); }

  /// Whether it holds all that it wants.
  bool holds() const noexcept { return holds_; }

 private:
  const attempt* find(std::size_t index) const noexcept;
  bool all_held() const noexcept;
  void acquire_next();
  void give_back();

  world& world_;
  client& client_;
  const std::string name_;
  /// The directories, in the order in which they are acquired.
  std::vector<std::size_t> wanted_;
  /// The acquisitions of the first of them. All but the last were granted.
  std::vector<acquisition_id> acquisitions_;
  bool holds_ = false;
};

} // namespace simulation
