#pragma once

#include "chaos/cluster.hpp"

#include <filesystem>

namespace chaos {

/// A copy of the data of all servers, taken at a single moment.
class data_copy {
 public:
  /// Copies the files that the servers need to start, while they are halted.
  data_copy(cluster& servers, const std::filesystem::path& folder);

  /// Removes the copy.
  ~data_copy();

  data_copy(const data_copy&) = delete;
  data_copy& operator=(const data_copy&) = delete;

  /// Sets the data of a server back to the copy. The server must not run.
  void put_back(std::size_t server) const;

 private:
  std::filesystem::path copy_of(std::size_t server) const {
    return folder_ / std::to_string(server);
  }

  const cluster& servers_;
  const std::filesystem::path folder_;
};

/// Removes the data of a server, which must not run.
void wipe_data(const cluster& servers, std::size_t server);

} // namespace chaos
