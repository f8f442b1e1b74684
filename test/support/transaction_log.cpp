#include "support/transaction_log.hpp"

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace zklock::test {

namespace {

namespace fs = std::filesystem;

// Magic, version, database id; then for each record its checksum, its length, its bytes and an end
// mark of a byte. Unused space is filled with zeros (ZooKeeper's FileTxnLog).
constexpr std::size_t file_header = 16;
constexpr std::size_t record_header = 12;

/// The checksum that ZooKeeper uses (RFC 1950).
std::int64_t adler32(std::string_view bytes) {
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char each : bytes) {
    low = (low + static_cast<unsigned char>(each)) % 65521;
    high = (high + low) % 65521;
  }
  return std::int64_t{high} << 16 | low;
}

/// The offset, in a record that creates a node in the directory, of the number of creates in it.
/// The end of the record if it is another record.
std::size_t find_count(std::string_view record, const std::string& directory) {
  testing::checked_reader in(record);
  in.take_long(); // session
  in.take_int();  // xid
  in.take_long(); // zxid
  in.take_long(); // time
  const auto type = in.take_int();
  constexpr std::int32_t create = 1;
  constexpr std::int32_t create2 = 15;
  if (type != create && type != create2) return record.size();
  if (fs::path(in.take_string()).parent_path() != directory) return record.size();
  in.take_buffer();
  for (auto lists = in.take_int(); lists > 0; --lists) {
    in.take_int();
    in.take_string();
    in.take_string();
  }
  in.take_bool(); // ephemeral
  return record.size() - in.rest().size();
}

std::string written(std::int32_t number) {
  detail::jute_writer out;
  out.put_int(number);
  return out.bytes();
}

std::string written(std::int64_t number) {
  detail::jute_writer out;
  out.put_long(number);
  return out.bytes();
}

bool set_last_count(std::string& log, const std::string& directory, std::int32_t next) {
  std::size_t last = 0;
  std::size_t count = 0;
  std::size_t last_size = 0;
  for (auto at = file_header; at + record_header < log.size();) {
    testing::checked_reader header(std::string_view(log).substr(at + 8));
    const auto size = static_cast<std::size_t>(header.take_int());
    if (size == 0) break;
    const auto begin = at + record_header;
    const auto found = find_count(std::string_view(log).substr(begin, size), directory);
    if (found != size) {
      last = at;
      count = begin + found;
      last_size = size;
    }
    at = begin + size + 1;
  }
  if (count == 0) return false;
  log.replace(count, 4, written(next));
  const auto sum = adler32(std::string_view(log).substr(last + record_header, last_size));
  log.replace(last, 8, written(sum));
  return true;
}

} // namespace

void set_next_number(const testing::server& stopped, const std::string& directory,
                     std::int32_t next) {
  for (const auto& each : fs::recursive_directory_iterator(stopped.data_directory())) {
    if (!each.path().filename().string().starts_with("log.")) continue;
    std::fstream file(each.path(), std::ios::in | std::ios::out | std::ios::binary);
    std::string log(std::istreambuf_iterator<char>(file), {});
    if (!set_last_count(log, directory, next)) continue;
    file.clear();
    file.seekp(0);
    file.write(log.data(), static_cast<std::streamsize>(log.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + each.path().string());
    return;
  }
  throw std::runtime_error("no log creates a node in " + directory);
}

} // namespace zklock::test
