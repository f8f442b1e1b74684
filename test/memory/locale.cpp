// A program whose locale groups the digits of numbers, and has a decimal comma.
#include <zklock/testing/memory_server.hpp>

#include "support/background.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <locale>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

class german_locale {
 public:
  german_locale() {
    const auto where = folder_.path() / "de_DE.UTF-8";
    testing::child_process made(
        {.command = {"localedef", "-i", "de_DE", "-f", "UTF-8", where.string()},
         .log = folder_.path() / "log"});
    // Its status is 1 after a warning.
    made.wait();
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
      throw std::runtime_error("cannot make a locale: is the package locales installed?");
    std::locale::global(std::locale("de_DE.UTF-8"));
  }

  ~german_locale() {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }

  german_locale(const german_locale&) = delete;
  german_locale& operator=(const german_locale&) = delete;

 private:
  testing::temporary_directory folder_;
};

struct scene {
  german_locale of_the_program;
  testing::memory_server server;
  testing::raw_client witness{server.address()};

  std::string answer_to(const std::string& word) const {
    asio::io_context io{1};
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), server.port()});
    asio::write(socket, asio::buffer(word));
    std::string text;
    error_code ended;
    asio::read(socket, asio::dynamic_buffer(text), ended);
    return text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(program_locale, scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(locale_of_the_test_changes_numbers) {
  std::ostringstream out;
  out << 1234567;
  BOOST_TEST(out.str() == "1.234.567");
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 1.5);
  BOOST_TEST(text == std::string("1,5"));
}

BOOST_AUTO_TEST_CASE(answers_of_the_server_in_memory_have_plain_numbers) {
  witness.create_all("/n");
  for (int i = 0; i < 1100; ++i)
    witness.create("/n/x", {}, testing::create_mode::persistent_sequential);
  const auto numbers = answer_to("srvr");
  const auto begin = numbers.find("Connections: ");
  BOOST_REQUIRE(begin != numbers.npos);
  BOOST_TEST(numbers.find_first_of(".,", begin) == numbers.npos, numbers);
  BOOST_TEST(numbers.find("Node count: 11") != numbers.npos, numbers);
  witness.exists("/n", true);
  const auto watches = answer_to("wchp");
  BOOST_TEST(watches.starts_with("/n\n\t0x"), watches);
  BOOST_TEST(watches.find_first_of(".,") == watches.npos, watches);
}

BOOST_AUTO_TEST_CASE(log_lines_have_plain_numbers) {
  std::mutex guard;
  std::string log;
  auto options = options_for(server.address());
  options.log = [&](log_level, std::string_view line) {
    const std::lock_guard own(guard);
    log.append(line).append(1, '\n');
  };
  background context;
  client zk(context.io, options);
  hold held = get(zklock::mutex(zk, "/lock").acquire(30s, asio::use_future));
  std::ostringstream token;
  token << std::showbase << held.token();
  BOOST_TEST(token.str() == held.token().to_string());
  auto lost = held.wait_lost(asio::use_future);
  witness.remove(held.node());
  get(lost);
  get(zk.close(asio::use_future));
  const std::lock_guard own(guard);
  const auto begin = log.find("lost a lock ");
  BOOST_REQUIRE(begin != log.npos);
  const auto seconds = log.find(" held_for_s=", begin);
  BOOST_REQUIRE(seconds != log.npos);
  const auto end = log.find('\n', seconds);
  BOOST_TEST(log.find('.', seconds) + 4 == end, log);
  BOOST_TEST(log.find(',') == log.npos, log);
}

BOOST_AUTO_TEST_SUITE_END()
