#pragma once

#include "client/lock_definition.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zklock::detail {

/// The definitions of a client's locks. All lock objects of a lock share its definition, and with
/// it the line of its acquisitions. Any thread.
///
/// Invariant: a lock has at most one living definition.
class lock_definitions {
 public:
  /// Returns the name of a lock, which is unique within a client.
  static std::string name_of(std::string_view given, lock_kind kind,
                             std::optional<std::uint32_t> limit = {},
                             std::string_view limit_node = {});

  /// Returns the definition with this name; calls `make` for a new definition if none exists. The
  /// returned definition must not outlive this object.
  template <class Make>
  std::shared_ptr<const lock_definition> share(std::string name, Make make) {
    if (auto found = find(name)) return found;
    return add(std::move(name), make());
  }

  std::vector<std::shared_ptr<const lock_definition>> all() const;

 private:
  using by_name = std::unordered_map<std::string, std::weak_ptr<const lock_definition>>;

  std::shared_ptr<const lock_definition> find(const std::string& name) const;
  std::shared_ptr<const lock_definition> add(std::string name, lock_definition made);
  void remove(const std::string& name) noexcept;

  mutable std::mutex mutex_;
  by_name shared_;
};

} // namespace zklock::detail
