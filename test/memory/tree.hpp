#pragma once

#include "testing/memory/znode_tree.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test::memory {

using namespace zklock::testing::memory;
using zklock::testing::access;
using zklock::testing::node_stat;
using zklock::testing::open_access;
using zklock::testing::operation;

constexpr std::int64_t session = 7;

/// A tree with a single session. Each write has the next zxid, and its time is the zxid times 1000.
struct tree {
  tree() { apply(create_session_request{10'000}); }

  outcome apply(const write_request& request, std::int64_t id = session) {
    ++zxid;
    return nodes.apply(request, {id, identities}, zxid, zxid * 1000);
  }

  outcome create(const std::string& path, std::int32_t flags = 0,
                 std::vector<access> acl = {open_access()}) {
    create_request request;
    request.kind = flags == 4 ? operation::create_container : operation::create;
    request.path = path;
    request.data = "";
    request.acl = std::move(acl);
    request.flags = flags;
    return apply(request);
  }

  outcome remove(const std::string& path, std::int32_t version = -1) {
    return apply(remove_request{path, version});
  }

  node_stat stat(const std::string& path) const {
    return std::get<stat_reply>(nodes.read(exists_request{path, false}, {session, identities}).body)
        .stat;
  }

  std::vector<identity> identities{{"ip", "127.0.0.1"}};
  znode_tree nodes;
  std::int64_t zxid = 0;
};

inline std::string path_of(const outcome& created) {
  return std::get<created_reply>(created.body).path;
}

/// Returns the events as a string, for example `created /a, children /`.
inline std::string text_of(const std::vector<tree_event>& events) {
  std::string text;
  for (const auto& event : events) {
    constexpr const char* names[] = {"", "created ", "deleted ", "changed ", "children "};
    if (!text.empty()) text += ", ";
    text.append(names[static_cast<int>(event.type)]).append(event.path);
  }
  return text;
}

} // namespace zklock::test::memory

namespace zklock::testing::memory {

inline std::ostream& operator<<(std::ostream& out, code value) {
  return out << static_cast<std::int32_t>(value);
}

} // namespace zklock::testing::memory
