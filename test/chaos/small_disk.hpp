#pragma once

#include <cstddef>
#include <filesystem>

namespace chaos {

/// A file system of a fixed size under the data of a server, in a mount namespace of this
/// process. It goes with the namespace. It does not exist where the system permits no mounts.
class small_disk {
 public:
  /// The server whose data are on it.
  static constexpr std::size_t server = 2;

  /// Mounts it on a folder, which must exist. `size` is in MiB.
  small_disk(const std::filesystem::path& folder, std::size_t size);
  ~small_disk();

  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  bool exists() const { return exists_; }

  /// Leaves no byte free on it.
  void fill() const;

  /// Frees the space that `fill` took.
  void free() const;

 private:
  std::filesystem::path ballast() const { return folder_ / "ballast"; }

  const std::filesystem::path folder_;
  bool exists_;
};

/// Gives this thread, and the threads and processes that it starts, namespaces of their own: for
/// mounts, and with `network` also for the network. Returns whether the system permits it.
bool leave_namespaces(bool network);

} // namespace chaos
