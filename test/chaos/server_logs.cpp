#include "chaos/server_logs.hpp"

#include "chaos/locks.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>

namespace chaos {
namespace {

namespace fs = std::filesystem;

constexpr nanoseconds millisecond = second / 1000;

nanoseconds system_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Returns a number of so many bytes, the highest first.
std::int64_t number_at(std::string_view data, std::size_t place, std::size_t size) {
  std::uint64_t number = 0;
  for (const char each : data.substr(place, size))
    number = number << 8 | static_cast<unsigned char>(each);
  return static_cast<std::int64_t>(number);
}

void read_transaction(std::string_view data, logged_writes& all) {
  constexpr std::size_t before_zxid = 12;
  all.zxids.push_back(number_at(data, before_zxid, 8));
  if (const auto path = data.find(commits_path); path != data.npos)
    all.commits.emplace_back(
        data.substr(path, static_cast<std::size_t>(number_at(data, path - 4, 4))));
}

// A transaction is its checksum, its size, its bytes, and 'B'. Zeros follow the last transaction.
void read_file(const fs::path& file, logged_writes& all) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string_view data = text;
  constexpr std::size_t header = 16;
  constexpr std::size_t before_data = 12;
  for (std::size_t place = header; place + before_data < data.size();) {
    const auto size = static_cast<std::size_t>(number_at(data, place + 8, 4));
    const auto end = place + before_data + size;
    if (size == 0 || end >= data.size() || data[end] != 'B') return;
    read_transaction(data.substr(place + before_data, size), all);
    place = end + 1;
  }
}

template <class T>
void make_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Leaves a single copy of each element that so many servers have added, each server once.
template <class T>
void keep_common(std::vector<T>& list, std::ptrdiff_t servers) {
  std::sort(list.begin(), list.end());
  std::vector<T> common;
  for (auto each = list.begin(); each != list.end();) {
    const auto end = std::upper_bound(each, list.end(), *each);
    if (end - each >= servers) common.push_back(*each);
    each = end;
  }
  list = std::move(common);
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

} // namespace

void logged_writes::merge(const logged_writes& earlier) {
  append(zxids, earlier.zxids);
  append(commits, earlier.commits);
  make_unique(zxids);
  make_unique(commits);
}

logged_writes read_logs(std::span<const fs::path> folders) {
  logged_writes all;
  for (const auto& folder : folders) {
    logged_writes one;
    for (const auto& each : fs::directory_iterator(folder))
      if (each.path().filename().string().starts_with("log.")) read_file(each.path(), one);
    make_unique(one.zxids);
    make_unique(one.commits);
    append(all.zxids, one.zxids);
    append(all.commits, one.commits);
  }
  keep_common(all.zxids, 2);
  keep_common(all.commits, std::ssize(folders));
  return all;
}

// The line has the session, a number of the request, the zxid, the time in milliseconds, and a
// kind.
std::vector<nanoseconds> read_differences(const fs::path& log_of_server) {
  const nanoseconds clocks = boot_time() - system_time();
  const std::regex difference("First digest mismatch on txn: [^,]*,[^,]*,[^,]*,([0-9]+),");
  std::vector<nanoseconds> all;
  std::ifstream in(log_of_server);
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (line.find("digest") != line.npos && std::regex_search(line, found, difference))
      all.push_back(clocks + std::stoll(found[1]) * millisecond);
  make_unique(all);
  return all;
}

// The line begins with the local time of day.
std::vector<nanoseconds> read_crashes(const fs::path& log_of_server) {
  constexpr nanoseconds day = 24 * 3600 * second;
  const nanoseconds now = system_time();
  const nanoseconds boot_now = boot_time();
  const std::time_t seconds = now / second;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const nanoseconds since_midnight =
      ((local.tm_hour * 60 + local.tm_min) * 60 + local.tm_sec) * second + now % second;
  const std::regex crash("^([0-9]+):([0-9]+):([0-9]+)\\.([0-9]+) .*Severe unrecoverable error");
  std::vector<nanoseconds> all;
  std::ifstream in(log_of_server);
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (line.find("Severe") == line.npos || !std::regex_search(line, found, crash)) continue;
    const nanoseconds minutes = std::stoll(found[1]) * 60 + std::stoll(found[2]);
    const nanoseconds time =
        (minutes * 60 + std::stoll(found[3])) * second + std::stoll(found[4]) * millisecond;
    const nanoseconds ago = since_midnight - time;
    all.push_back(boot_now - (ago < 0 ? ago + day : ago));
  }
  return all;
}

} // namespace chaos
