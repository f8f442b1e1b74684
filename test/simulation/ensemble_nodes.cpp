// What nodes the transactions of the servers create.

#include "ensemble.hpp"

#include <cstdio>
#include <string>
#include <utility>

namespace simulation {

namespace {

// As the servers write it.
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

// The node of a writer that is about to read, with the same number.
node_id ensemble::add_reader(const request& request, node_id writer) {
  node reader = nodes_[writer];
  reader.name = request.replacement;
  reader.czxid = static_cast<std::int64_t>(log_.size()) + 1;
  reader.wants = role::shared;
  nodes_.push_back(std::move(reader));
  nodes_[writer].replaced_by = nodes_.size() - 1;
  return nodes_.size() - 1;
}

// Whoever is first in line is replaced by his permits.
void ensemble::take_permits(reply& outcome, change& change) {
  const request& request = outcome.to;
  const auto in_line = truth().find(request.directory, request.name);
  outcome.no_entry = in_line == no_such_node;
  if (outcome.no_entry || !truth().at(request.beside).exists) {
    outcome.result = answer::no_node;
    return;
  }
  change.what = change::kind::transaction;
  change.parts.push_back(
      {.what = change::kind::remove, .directory = request.directory, .node = in_line});
  outcome.czxid = static_cast<std::int64_t>(log_.size()) + 1;
  sequence index = 0;
  for (const auto& name : request.permits) {
    nodes_.push_back({.name = name,
                      .directory = request.beside,
                      .czxid = outcome.czxid,
                      .token = outcome.czxid,
                      .number = index++,
                      .owner = change.session,
                      .entry = request.entry});
    change.parts.push_back(
        {.what = change::kind::create, .directory = request.beside, .node = nodes_.size() - 1});
  }
}

} // namespace simulation
