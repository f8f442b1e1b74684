#pragma once

#include "simulation/dice.hpp"

#include <string>

namespace deterministic::servers {

/// The fault of the frames that a replica sends to its clients.
enum class garbage {
  none,
  /// Bytes behind the length are random.
  random_bytes,
  /// A reply has the xid of another request.
  wrong_xid,
  /// The connection ends in the middle of a frame.
  truncated_frame,
  /// The length is far too large for the frame.
  huge_length,
  /// Nothing is sent.
  silence,
};

/// Spoils a part of the frames while a fault is in force.
class garbler {
 public:
  enum class then { go_on, close };

  explicit garbler(simulation::dice& dice) noexcept : dice_(dice) {}

  /// Each frame is spoiled with that probability.
  void set(garbage how, std::size_t percent) noexcept {
    how_ = how;
    percent_ = percent;
  }

  bool is_off() const noexcept { return how_ == garbage::none; }

  /// Changes a frame that is about to be sent, its length included.
  then spoil(std::string& frame);

 private:
  simulation::dice& dice_;
  garbage how_ = garbage::none;
  std::size_t percent_ = 0;
};

} // namespace deterministic::servers
