// The nodes that the servers' transactions create.

#include "ensemble.hpp"

#include <cstdio>
#include <string>
#include <utility>

namespace simulation {

namespace {

// The number as the servers format it.
std::string with_number(const std::string& prefix, sequence number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(number));
  return prefix + digits;
}

} // namespace

// A node that the next transaction creates.
node_id ensemble::add_entry(const std::string& prefix, std::size_t directory, session_id owner) {
  const auto number = truth().at(directory).children_ever;
  nodes_.push_back({.name = with_number(prefix, number),
                    .directory = directory,
                    .czxid = static_cast<std::int64_t>(log_.size()) + 1,
                    .token = static_cast<std::int64_t>(log_.size()) + 1,
                    .number = number,
                    .owner = owner});
  return nodes_.size() - 1;
}

// The reader's node of a writer that is about to read; it has the writer's number.
node_id ensemble::add_reader(const std::string& name, node_id writer) {
  node reader = nodes_[writer];
  reader.name = name;
  reader.czxid = static_cast<std::int64_t>(log_.size()) + 1;
  reader.wants = role::shared;
  nodes_.push_back(std::move(reader));
  nodes_[writer].replaced_by = nodes_.size() - 1;
  return nodes_.size() - 1;
}

node_id ensemble::add_permit(const part& permit, const request& request, session_id owner) {
  const auto made = static_cast<std::int64_t>(log_.size()) + 1;
  nodes_.push_back({.name = permit.name,
                    .directory = permit.directory,
                    .czxid = made,
                    .token = made,
                    .owner = owner,
                    .entry = request.entry});
  return nodes_.size() - 1;
}

} // namespace simulation
