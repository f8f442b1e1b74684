// The transactions that servers have logged are read from their files.
#include "chaos/server_logs.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

using namespace chaos;

namespace {

namespace fs = std::filesystem;

std::string bytes(std::uint64_t number, int size) {
  std::string text;
  for (int i = size - 1; i >= 0; --i)
    text += static_cast<char>(number >> 8 * i);
  return text;
}

std::string transaction(std::int64_t zxid, const std::string& path) {
  const auto data = bytes(7, 8) + bytes(1, 4) + bytes(static_cast<std::uint64_t>(zxid), 8) +
                    bytes(0, 8) + bytes(1, 4) + bytes(path.size(), 4) + path + bytes(0, 20);
  return bytes(0, 8) + bytes(data.size(), 4) + data + 'B';
}

struct servers {
  zklock::testing::temporary_directory home;
  std::array<fs::path, 3> folders{home.path() / "1", home.path() / "2", home.path() / "3"};

  servers() {
    for (const auto& each : folders)
      fs::create_directories(each);
  }

  void log(std::size_t server, const std::string& name, const std::string& transactions) const {
    std::ofstream(folders[server] / name) << "ZKLG" << bytes(2, 4) << bytes(0, 8) << transactions;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(chaos_server_logs, servers)

BOOST_AUTO_TEST_CASE(writes_that_servers_have_logged_are_found) {
  const auto first = transaction(3, "/l") + transaction(4, "/chaos-commits/1/a");
  log(0, "log.3", first + transaction(5, "/chaos-commits/1/b"));
  // Zeros, and a transaction that is not whole.
  log(1, "log.3", first + transaction(5, "/chaos-commits/1/b") + std::string(100, '\0'));
  log(1, "log.6", transaction(6, "/l") + transaction(7, "/l").substr(0, 40));
  log(2, "log.6", transaction(6, "/l") + transaction(7, "/l"));
  log(2, "log.4", transaction(4, "/chaos-commits/1/a") + transaction(4, "/chaos-commits/1/a"));
  auto found = read_logs(folders);
  BOOST_TEST(found.zxids == (std::vector<std::int64_t>{3, 4, 5, 6}),
             boost::test_tools::per_element());
  BOOST_TEST(found.commits == std::vector<std::string>{"/chaos-commits/1/a"},
             boost::test_tools::per_element());
  found.merge({.zxids = {1, 4}, .commits = {"/chaos-commits/0/c"}});
  BOOST_TEST(found.zxids == (std::vector<std::int64_t>{1, 3, 4, 5, 6}),
             boost::test_tools::per_element());
  BOOST_TEST(found.commits.size() == 2u);
}

BOOST_AUTO_TEST_CASE(differences_that_servers_have_logged_are_found) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const auto line = [](std::string_view time) {
    return "17:44:30.122 [main] ERROR DataTree - First digest mismatch on txn: 7205,6319,3049," +
           std::string(time) + ",14\n";
  };
  const auto file = folders[0] / "server.log";
  std::ofstream(file) << "17:44:30.121 [main] INFO DataTree\n"
                      << line(std::to_string(now)) << line(std::to_string(now - 5000))
                      << line(std::to_string(now));
  const auto found = read_differences(file);
  BOOST_TEST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found[1] - found[0] == 5 * second);
  BOOST_TEST(found[1] <= boot_time());
}

BOOST_AUTO_TEST_CASE(crashes_that_servers_have_logged_are_found) {
  const auto line = [](std::chrono::seconds ago) {
    const auto time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - ago);
    std::tm local{};
    ::localtime_r(&time, &local);
    std::ostringstream text;
    text << std::put_time(&local, "%H:%M:%S")
         << ".628 [CommitProcessor:2] ERROR ZooKeeperCriticalThread - Severe unrecoverable error, "
            "from thread : CommitProcessor:2\n";
    return text.str();
  };
  const auto file = folders[0] / "server.log";
  const auto now = boot_time();
  // A day begins between two of the times, or before all of them.
  std::ofstream(file) << line(23h) << "17:44:30.121 [main] INFO DataTree\n"
                      << line(13h) << line(5s);
  const auto found = read_crashes(file);
  BOOST_TEST_REQUIRE(found.size() == 3u);
  BOOST_TEST(found[1] - found[0] == 10 * 3600 * second);
  BOOST_TEST(now - found[2] < 7 * second);
  BOOST_TEST(found[2] < now);
}

BOOST_AUTO_TEST_SUITE_END()
