#pragma once

#include "testing/memory/replies.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace zklock::testing::memory {

// The changes that valid requests make. They can be applied without another check.

struct node_creation {
  operation kind = operation::create;
  std::string path{};
  node_data data{};
  std::vector<access> acl{};
  std::int64_t ephemeral_owner = 0;
  /// The number of children of the parent that have been created, including this node.
  std::int32_t parent_creations = 0;
};

struct node_deletion {
  std::string path{};
};

struct data_change {
  std::string path{};
  node_data data{};
  std::int32_t version = 0;
};

struct acl_change {
  std::string path{};
  std::vector<access> acl{};
  std::int32_t version = 0;
};

/// A successful check of a version.
struct no_change {};

using change = std::variant<node_creation, node_deletion, data_change, acl_change, no_change>;

/// A change, or the error code of an invalid request.
using verdict = std::variant<change, code>;

} // namespace zklock::testing::memory
