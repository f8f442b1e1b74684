#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>

/// A resource that bears a single user at a time among all processes: the last order number, in a
/// file. A use while another use is under way throws `std::logic_error`.
///
/// The resource never waits for its turn. A lock in ZooKeeper must keep the uses apart.
class fake_limited_resource {
 public:
  /// Keeps the file `last_number` in the folder, which must exist.
  explicit fake_limited_resource(std::filesystem::path folder);

  /// Returns the last number plus 1, or 1 without a file. The use reads the file, works for up to
  /// 3 ms, and then writes the file. A cancelled use leaves the file alone.
  boost::asio::awaitable<std::uint64_t> next();

 private:
  std::uint64_t read() const;
  void write(std::uint64_t number) const;

  std::filesystem::path folder_;
};
