#include "chaos/data_copy.hpp"

#include <iterator>
#include <map>
#include <string>
#include <system_error>

namespace chaos {
namespace {

namespace fs = std::filesystem;

// Files by the zxid in their names: `log.1000001`.
std::map<std::uint64_t, fs::path> files_named(const std::string& prefix, const fs::path& folder) {
  std::map<std::uint64_t, fs::path> all;
  for (const auto& each : fs::directory_iterator(folder))
    if (const auto name = each.path().filename().string(); name.starts_with(prefix))
      all.emplace(std::stoull(name.substr(prefix.size()), nullptr, 16), each.path());
  return all;
}

// A server starts with its newest whole snapshot, and with the logs from before that on. The newest
// snapshot may not be whole.
void copy_state(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  for (const char* epoch : {"acceptedEpoch", "currentEpoch"})
    if (fs::exists(from / epoch)) fs::copy_file(from / epoch, to / epoch);
  const auto snapshots = files_named("snapshot.", from);
  const auto logs = files_named("log.", from);
  const auto first = snapshots.size() < 2 ? snapshots.begin() : std::prev(snapshots.end(), 2);
  const auto oldest = first == snapshots.end() ? 0 : first->first;
  for (auto each = first; each != snapshots.end(); ++each)
    fs::copy_file(each->second, to / each->second.filename());
  auto log = logs.upper_bound(oldest);
  if (log != logs.begin()) --log;
  for (; log != logs.end(); ++log)
    fs::copy_file(log->second, to / log->second.filename());
}

/// Halts all servers. Clients notice nothing of the short time that a copy takes.
class halt {
 public:
  explicit halt(cluster& servers) : servers_(servers) {
    for (std::size_t i = 0; i < cluster::servers; ++i)
      servers_.pause(i);
  }
  ~halt() {
    for (std::size_t i = 0; i < cluster::servers; ++i)
      servers_.resume(i);
  }
  halt(const halt&) = delete;
  halt& operator=(const halt&) = delete;

 private:
  cluster& servers_;
};

} // namespace

data_copy::data_copy(cluster& servers, const fs::path& folder)
    : servers_(servers), folder_(folder) {
  fs::remove_all(folder_);
  const halt halted(servers);
  for (std::size_t i = 0; i < cluster::servers; ++i)
    copy_state(servers.data_of(i), copy_of(i));
}

data_copy::~data_copy() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void data_copy::put_back(std::size_t server) const {
  wipe_data(servers_, server);
  fs::copy(copy_of(server), servers_.data_of(server), fs::copy_options::recursive);
}

void wipe_data(const cluster& servers, std::size_t server) {
  fs::remove_all(servers.data_of(server));
}

} // namespace chaos
