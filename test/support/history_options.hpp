#pragma once

#include "simulation/seeds.hpp"
#include "support/argument_list.hpp"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace zklock::test {

/// The options that programs of random histories share: which histories run, and whether a failure
/// is expected.
struct history_options {
  /// The seed of the first history. Each further history has the next seed.
  std::uint64_t first = 1;
  std::uint64_t histories = 0;
  /// Replaces `first` if it is not empty.
  std::vector<std::uint64_t> seeds{};
  bool trace = false;
  bool expect_failure = false;

  /// Adds `--histories`, `--first` and `--expect-failure`.
  void add_to(argument_list& arguments) {
    arguments.value("--histories", "N", [this](const char* text) {
      histories = std::strtoull(text, nullptr, 10);
      return true;
    });
    arguments.value("--first", "SEED", [this](const char* text) {
      first = std::strtoull(text, nullptr, 10);
      return true;
    });
    arguments.flag("--expect-failure", expect_failure);
  }

  /// Adds the options that replay histories: `--seed`, `--seeds` and `--trace`.
  void add_replay_to(argument_list& arguments) {
    arguments.value("--seed", "SEED", [this](const char* text) {
      first = std::strtoull(text, nullptr, 10);
      histories = 1;
      return true;
    });
    arguments.value("--seeds", "FILE", [this](const char* file) {
      seeds = simulation::read_seeds(file);
      histories = seeds.size();
      return true;
    });
    arguments.flag("--trace", trace);
  }

  /// Returns the seed of a history, counted from 0.
  std::uint64_t seed(std::uint64_t history) const {
    return seeds.empty() ? first + history : seeds[history];
  }

  /// Returns the status of a program whose histories have failed.
  int failed() const { return expect_failure ? EXIT_SUCCESS : EXIT_FAILURE; }

  /// Returns the status of a program whose histories have kept all rules.
  int kept() const { return expect_failure ? EXIT_FAILURE : EXIT_SUCCESS; }
};

} // namespace zklock::test
