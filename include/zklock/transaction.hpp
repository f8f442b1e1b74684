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

/// The kind of a node that a transaction creates.
enum class node_kind : std::uint8_t {
  /// Stays until it is removed.
  persistent,
  /// Is deleted with the client's session.
  ephemeral,
  /// Stays until it is removed. The servers append a number of ten digits to its name.
  persistent_sequential,
  /// Is deleted with the client's session. The servers append a number of ten digits to its name.
  ephemeral_sequential,
};

/// Writes that ZooKeeper carries out together or not at all, for `hold::commit`. Parts are counted
/// from 0, in the order in which they are added. Paths are relative to the client's chroot.
///
/// Adding a part checks nothing: `hold::commit` reports the part that is at fault.
///
/// Thread safety: distinct objects may be used concurrently. The const functions of a shared
/// object may be called concurrently.
class ZKLOCK_EXPORT transaction {
 public:
  /// Adds a part that creates a node, with the client's access control list.
  ///
  /// Thread safety: safe, except for other functions of this object.
  transaction& create(std::string path, std::string data = {},
                      node_kind mode = node_kind::persistent);

  /// Adds a part that replaces a node's data, if the node has this version; -1 stands for any.
  ///
  /// Thread safety: safe, except for other functions of this object.
  transaction& set(std::string path, std::string data, std::int32_t version = -1);

  /// Adds a part that deletes a node without children, if the node has this version; -1 stands for
  /// any.
  ///
  /// Thread safety: safe, except for other functions of this object.
  transaction& remove(std::string path, std::int32_t version = -1);

  /// Adds a part that changes nothing. The transaction is carried out only if the node exists and
  /// has this version; -1 stands for any.
  ///
  /// Thread safety: safe, except for other functions of this object.
  transaction& check(std::string path, std::int32_t version = -1);

  /// Returns the number of parts.
  ///
  /// Thread safety: safe among const functions.
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }

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

/// The outcome of a transaction.
struct commit_result {
  /// The paths of the nodes that were created, in the order of their parts, with the numbers that
  /// the servers appended and without the chroot.
  std::vector<std::string> created{};

  /// The part that failed, where one did.
  std::optional<std::size_t> failed_part{};
};

} // namespace zklock
