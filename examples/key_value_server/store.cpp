#include "store.hpp"

#include <boost/interprocess/sync/file_lock.hpp>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <system_error>

namespace fs = std::filesystem;

namespace {

/// Returns the file with the highest token; an empty path if there is none.
fs::path newest(const fs::path& folder) {
  fs::path found;
  std::error_code missing;
  for (const auto& file : fs::directory_iterator(folder, missing))
    if (file.path().extension().empty()) found = std::max(found, file.path());
  return found;
}

boost::interprocess::file_lock lock_of(fs::path folder) {
  const auto file = folder += ".lock";
  std::ofstream(file, std::ios::app);
  return boost::interprocess::file_lock(file.c_str());
}

/// Writes the newest value, and removes older values.
void replace(const fs::path& path, const std::string& value) {
  auto unfinished = path;
  unfinished += ".new";
  std::ofstream file(unfinished);
  file << value << '\n';
  file.close();
  if (!file) throw std::runtime_error("cannot write " + unfinished.string());
  fs::rename(unfinished, path);

  for (const auto& older : fs::directory_iterator(path.parent_path()))
    if (older.path() < path) fs::remove(older.path());
}

} // namespace

bool store::is_key(const std::string& text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == text.npos;
}

std::string store::read(const std::string& key) const {
  for (;;) {
    const auto path = newest(folder_ / key);
    if (path.empty()) return {};
    std::ifstream file(path);
    std::string value;
    // A newer file may have replaced this file meanwhile.
    if (std::getline(file, value)) return value;
  }
}

bool store::begin(const std::string& key, zklock::fencing_token token) {
  const auto path = folder_ / key / token.to_string();
  fs::create_directories(path.parent_path());
  auto lock = lock_of(path.parent_path());
  const std::lock_guard guard(lock);
  if (newest(path.parent_path()) > path) return false;
  replace(path, read(key));
  return true;
}

bool store::write(const std::string& key, const std::string& value, zklock::fencing_token token) {
  const auto path = folder_ / key / token.to_string();
  auto lock = lock_of(path.parent_path());
  const std::lock_guard guard(lock);
  if (newest(path.parent_path()) != path) return false;
  replace(path, value);
  return true;
}
