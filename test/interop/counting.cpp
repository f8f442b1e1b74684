// Programs in four languages count in a file, which only the lock protects.
#include "interop/meeting.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr int workers = 4;
constexpr int turns = 150;
constexpr int languages = 4;

int read_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  int number = 0;
  if (!(in >> number)) throw std::runtime_error("there is no number in the file");
  return number;
}

// Counts as the peers do.
asio::awaitable<void> count(mutex lock, std::filesystem::path file) {
  for (int i = 0; i < turns; ++i) {
    hold held = co_await lock.acquire();
    const int number = read_number(file);
    std::ofstream(file) << number + 1;
    const auto node = held.node();
    std::ofstream(file.string() + ".order", std::ios::app) << node.substr(node.size() - 10) << '\n';
    if (!held.owns_lock()) throw std::logic_error("the lock was not held");
    // The lock must be free for other programs after either way of releasing.
    if (i % 2 == 0) co_await held.release();
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(counting, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(programs_in_four_languages_count_in_the_order_of_the_line) {
  auto curator = start_peer(library::curator, 20s);
  auto kazoo = start_peer(library::kazoo, 20s);
  auto go = start_peer(library::go_zookeeper, 20s);
  const testing::temporary_directory folder;
  const auto file = folder.path() / "number";
  std::ofstream(file) << 0;
  meeting m;

  const auto task = "work all " + m.path + ' ' + std::to_string(workers) + ' ' +
                    std::to_string(turns) + ' ' + file.string();
  std::vector<std::future<void>> ours;
  for (int i = 0; i < workers; ++i)
    ours.push_back(asio::co_spawn(m.io, count(mutex(m.zk, m.path), file), asio::use_future));
  curator.tell(task);
  kazoo.tell(task);
  go.tell(task);
  BOOST_TEST(curator.hear("all", 200s) == "done");
  BOOST_TEST(kazoo.hear("all", 200s) == "done");
  BOOST_TEST(go.hear("all", 200s) == "done");
  for (auto& each : ours)
    get(each);

  BOOST_TEST(read_number(file) == languages * workers * turns);
  std::ifstream in(file.string() + ".order");
  const std::vector<std::string> order{std::istream_iterator<std::string>(in), {}};
  BOOST_TEST(order.size() == std::size_t{languages * workers * turns});
  BOOST_TEST(
      (std::adjacent_find(order.begin(), order.end(), std::greater_equal<>()) == order.end()));
  // A new session: the old session has been silent for long.
  m.witness = testing::raw_client(shared_server().direct_address());
  m.wait_for_entries(0);
}

BOOST_AUTO_TEST_SUITE_END()
