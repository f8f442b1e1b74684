#include "scene.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <set>

using namespace deterministic;

namespace {

/// A history with a name to resolve, cuts, resets and a session that is closed.
std::uint64_t history_of(std::uint64_t seed) {
  scene s(seed, "zoo.example:2181,10.0.0.2:2181");
  s.linux_kernel.host_names().set("zoo.example", {.addresses = {"10.0.0.1"}, .delay = 30ms});
  auto& net = s.linux_kernel.net();
  for (int i = 0; i != 5; ++i) {
    s.linux_kernel.run_for(7s);
    net.cut("one", "", i % 2 == 0 ? direction::up : direction::both);
    s.linux_kernel.run_for(5s);
    net.heal("", "10.0.0.1:2181");
    s.linux_kernel.run_for(7s);
    net.reset_after("one", "10.0.0.1:2181", direction::both, static_cast<std::size_t>(i));
    s.one->pause(2s);
  }
  s.one->call([&] { s.client->close([](boost::system::error_code) {}); });
  s.linux_kernel.run_for(10s);
  return s.linux_kernel.history();
}

std::string history_of_another_process() {
  const auto closes = [](std::FILE* which) { ::pclose(which); };
  const std::string program = boost::unit_test::framework::master_test_suite().argv[0];
  const std::unique_ptr<std::FILE, decltype(closes)> output(
      ::popen((program + " --run_test=determinism/history_is_printed").c_str(), "r"), closes);
  std::array<char, 200> line;
  while (output && std::fgets(line.data(), line.size(), output.get()))
    if (const std::string text(line.data()); text.starts_with("history ")) return text;
  return "none";
}

} // namespace

BOOST_AUTO_TEST_SUITE(determinism)

BOOST_AUTO_TEST_CASE(history_is_printed) {
  std::printf("history %llu\n", static_cast<unsigned long long>(history_of(4711)));
  std::fflush(stdout);
}

BOOST_AUTO_TEST_CASE(seed_means_the_same_history_in_one_process) {
  for (std::uint64_t seed = 1; seed != 20; ++seed)
    BOOST_TEST(history_of(seed) == history_of(seed));
}

BOOST_AUTO_TEST_CASE(seed_means_the_same_history_in_each_process) {
  const auto here = "history " + std::to_string(history_of(4711)) + '\n';
  BOOST_TEST(history_of_another_process() == here);
  BOOST_TEST(history_of_another_process() == here);
}

BOOST_AUTO_TEST_CASE(each_seed_means_another_history) {
  std::set<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed != 20; ++seed)
    all.insert(history_of(seed));
  BOOST_TEST(all.size() == 19);
}

BOOST_AUTO_TEST_SUITE_END()
