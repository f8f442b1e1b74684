#pragma once

#include <zklock/export.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock {

namespace detail {
struct transaction_access;
} // namespace detail

/// What kind of node a transaction creates.
enum class node_kind : std::uint8_t {
  /// Stays until it is removed.
  persistent,
  /// Goes with the client's session.
  ephemeral,
  /// Like those, and the servers append a number of ten digits to the name.
  persistent_sequential,
  ephemeral_sequential,
};

/// Writes that ZooKeeper carries out together or not at all; see `hold::commit`. Parts are counted
/// from 0, in the order in which they are added. Paths are relative to the client's chroot.
///
/// Adding parts checks nothing: `hold::commit` tells which of them is no good.
///
/// Thread safety: distinct objects: safe; the same object: the functions that are const are safe
/// among each other.
class ZKLOCK_EXPORT transaction {
 public:
  /// Creates a node, with the client's access control list.
  ///
  /// Thread safety: safe, but for other functions of the same object.
  transaction& create(std::string path, std::string data = {},
                      node_kind mode = node_kind::persistent);

  /// Replaces a node's data, where it has this version; -1: whatever version it has.
  ///
  /// Thread safety: safe, but for other functions of the same object.
  transaction& set(std::string path, std::string data, std::int32_t version = -1);

  /// Deletes a node that has no children, where it has this version; -1: whatever it has.
  ///
  /// Thread safety: safe, but for other functions of the same object.
  transaction& remove(std::string path, std::int32_t version = -1);

  /// Changes nothing: the rest is carried out only where the node exists and has this version; -1:
  /// whatever it has.
  ///
  /// Thread safety: safe, but for other functions of the same object.
  transaction& check(std::string path, std::int32_t version = -1);

  /// Returns how many parts there are.
  ///
  /// Thread safety: safe.
  std::size_t size() const noexcept { return parts_.size(); }

 private:
  friend struct detail::transaction_access;

  struct part {
    enum class kind : std::uint8_t { create, set, remove, check };

    kind what;
    std::string path;
    std::string data{};
    std::int32_t version = -1;
    node_kind mode = node_kind::persistent;
  };

  std::vector<part> parts_;
};

/// What became of a transaction.
struct commit_result {
  /// The paths of the nodes that were created, in the order of their parts, with the numbers that
  /// the servers gave them and without the chroot.
  std::vector<std::string> created{};

  /// Which part failed, where one did.
  std::optional<std::size_t> failed_part{};
};

} // namespace zklock
