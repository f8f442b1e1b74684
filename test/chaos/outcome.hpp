#pragma once

#include "chaos/checker.hpp"
#include "chaos/crew.hpp"
#include "chaos/nemesis.hpp"
#include "chaos/options.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace chaos {

/// The server that led at some time; nothing where none served.
struct leader_sample {
  nanoseconds time = never;
  std::optional<std::size_t> server;
};

/// All that is known after a run.
struct outcome {
  options chosen;
  std::string network;
  std::string servers;
  bool small_disk = false;
  span when{};
  std::vector<past_fault> faults;
  std::vector<leader_sample> leaders;
  std::vector<std::string> troubles;
  std::vector<incarnation> incarnations;
  evidence seen;
  verdict found;
  /// The faults that all checks found.
  std::vector<std::string> violations;
  std::size_t violation_count = 0;
};

/// Returns the outcome as JSON, without the lists.
boost::json::object to_json(const outcome& all);

/// Returns the lists of processes and faults.
boost::json::object lists_of(const outcome& all);

/// Writes JSON with a line for each member, and for each object in it.
void write(std::ostream& out, const boost::json::object& result);

/// Writes a summary of the JSON for people.
void print(std::ostream& out, const boost::json::object& result);

/// Writes all faults with their times, on the clock of the complaints.
void print_faults(std::ostream& out, const std::vector<past_fault>& faults);

} // namespace chaos
