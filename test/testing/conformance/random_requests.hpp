#pragma once

#include "support/jute_writer.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace zklock::test {

struct random_request {
  std::int32_t type = 0;
  std::string body{};
  /// For the transcript: the type and the arguments.
  std::string text{};
  std::string path{};
  bool watch = false;
};

/// Makes random requests below a directory.
class random_requests {
 public:
  random_requests(std::uint64_t seed, std::string directory)
      : random_(seed), directory_(std::move(directory)) {}

  /// Returns a number below `end`.
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  random_request next();

  const std::string& directory() const { return directory_; }

  /// Adds `path` to the paths that requests use.
  void remember(const std::string& path) { remembered_.push_back(path); }

 private:
  std::string path();
  std::string odd_path();
  std::int32_t version();
  void put_data(detail::jute_writer& out);
  void put_acl(detail::jute_writer& out);
  void put_create(random_request& request, detail::jute_writer& out);
  void put_write(random_request& request, detail::jute_writer& out);
  void put_multi(random_request& request, detail::jute_writer& out);
  void put_multi_read(random_request& request, detail::jute_writer& out);
  void put_read(random_request& request, detail::jute_writer& out);

  std::mt19937_64 random_;
  std::string directory_;
  std::vector<std::string> remembered_;
};

} // namespace zklock::test
