// Runs the program in README.md and checks its output.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

struct outcome {
  int status = -1;
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != text.npos; }
};

// Ends the program after a minute, with status 124.
outcome run_program(const std::string& servers) {
  const auto command = "timeout 60 '" ZKLOCK_README_PROGRAM "' '" + servers + "' 2>&1";
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (!output) throw std::runtime_error("cannot run " + command);
  outcome result;
  std::array<char, 256> piece{};
  while (const auto size = std::fread(piece.data(), 1, piece.size(), output))
    result.text.append(piece.data(), size);
  const int status = ::pclose(output);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  BOOST_TEST_MESSAGE(result.text);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(readme)

BOOST_AUTO_TEST_CASE(program_sells_while_a_server_runs) {
  const auto ended = run_program(shared_server().address());
  BOOST_TEST(ended.status == 0);
  BOOST_TEST(ended.text.starts_with("selling, with token "));
  BOOST_TEST(!ended.says("zklock:"));
  testing::raw_client witness(shared_server().direct_address());
  BOOST_TEST(entries(witness, "/locks/tickets") == 0u);
}

BOOST_AUTO_TEST_CASE(program_reports_that_no_server_answers) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  const auto ended = run_program(door.address());
  BOOST_TEST(ended.status == 1);
  BOOST_TEST(ended.says("tickets: " + make_error_code(errc::not_connected).message()));
  const std::string warning = " zklock: warning: could not connect to " + door.address();
  // Behind the time, once.
  BOOST_TEST(ended.text.find(warning) == std::string_view("2026-02-03T04:05:06.789Z").size());
  BOOST_TEST(ended.text.rfind(warning) == ended.text.find(warning));
}

BOOST_AUTO_TEST_CASE(program_reports_that_the_lock_is_held) {
  testing::raw_client foreign(shared_server().direct_address());
  const auto node = create_foreign_entry(foreign, "/locks/tickets");
  const auto ended = run_program(shared_server().address());
  BOOST_TEST(ended.status == 1);
  BOOST_TEST(ended.says("tickets: " + make_error_code(errc::timed_out).message()));
  BOOST_TEST(!ended.says("selling"));
  const auto left = entries_in_line(foreign, "/locks/tickets");
  BOOST_TEST(left == std::vector<std::string>{node}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
