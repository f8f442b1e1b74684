#include <zklock/transaction.hpp>

#include <utility>

namespace zklock {

transaction& transaction::create(std::string path, std::string data, node_kind mode) {
  parts_.push_back(
      {.what = part::kind::create, .path = std::move(path), .data = std::move(data), .mode = mode});
  return *this;
}

transaction& transaction::set(std::string path, std::string data, std::int32_t version) {
  parts_.push_back({.what = part::kind::set,
                    .path = std::move(path),
                    .data = std::move(data),
                    .version = version});
  return *this;
}

transaction& transaction::remove(std::string path, std::int32_t version) {
  parts_.push_back({.what = part::kind::remove, .path = std::move(path), .version = version});
  return *this;
}

transaction& transaction::check(std::string path, std::int32_t version) {
  parts_.push_back({.what = part::kind::check, .path = std::move(path), .version = version});
  return *this;
}

} // namespace zklock
