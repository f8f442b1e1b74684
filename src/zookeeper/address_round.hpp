#pragma once

#include "zookeeper/loss.hpp"
#include "zookeeper/resolver.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace zklock::zookeeper {

/// A round of attempts to connect: each known address is tried once, in random order.
class address_round {
 public:
  /// Begins a round. The address that failed last is tried last: it may be silent for the whole
  /// time limit again.
  template <class Engine>
  void begin(std::vector<endpoint> known, Engine& random) {
    // Addresses are tried from the back.
    untried_ = std::move(known);
    tried_.clear();
    unusable_ = 0;
    std::shuffle(untried_.begin(), untried_.end(), random);
    std::partition(untried_.begin(), untried_.end(),
                   [this](const endpoint& each) { return each == current_; });
  }

  /// Begins a round in which the current address is being tried, or is used.
  template <class Engine>
  void go_on(std::vector<endpoint> known, Engine& random) {
    begin(std::move(known), random);
    std::erase(untried_, current_);
    tried_.push_back(current_);
  }

  /// Adds new addresses, which are tried next: earlier addresses may be outdated. Returns whether
  /// there are any new addresses.
  bool add(const std::vector<endpoint>& found) {
    const auto is_in = [](const std::vector<endpoint>& list, const endpoint& address) {
      return std::find(list.begin(), list.end(), address) != list.end();
    };
    const auto before = untried_.size();
    for (const auto& address : found)
      if (!is_in(tried_, address) && !is_in(untried_, address)) untried_.push_back(address);
    return untried_.size() != before;
  }

  /// Moves on to the next address. Returns false at the end of the round.
  bool next() {
    if (untried_.empty()) return false;
    current_ = untried_.back();
    tried_.push_back(current_);
    untried_.pop_back();
    return true;
  }

  const endpoint& current() const noexcept { return current_; }

  /// The number of addresses of the round.
  std::size_t size() const noexcept { return tried_.size() + untried_.size(); }

  /// The attempt or the connection to the current address has ended.
  void failed(loss how) noexcept {
    error_ = error_of(how);
    unusable_ += is_unusable(how);
  }

  /// The session uses the current address.
  void succeeded() noexcept { error_ = errc::not_connected; }

  /// The result of the last attempt.
  errc error() const noexcept { return error_; }

  /// Whether no retry can make any address of the round usable.
  bool is_unusable_throughout() const noexcept {
    return !tried_.empty() && unusable_ == tried_.size();
  }

 private:
  std::vector<endpoint> tried_;
  std::vector<endpoint> untried_;
  // The number of tried addresses that a retry cannot make usable.
  std::size_t unusable_ = 0;
  endpoint current_;
  errc error_ = errc::not_connected;
};

} // namespace zklock::zookeeper
