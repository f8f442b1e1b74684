// Locks of a process that is killed or stopped while it holds or caches them.
#include "support/background.hpp"
#include "support/stat_of.hpp"
#include "testing/child_process.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <future>
#include <ostream>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
namespace data = boost::unit_test::data;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds session_timeout = 2s;
// The servers count in ticks, and the machine may be slow.
constexpr auto soon = 10s;

/// The possession of the process: a hold, a cached entry, or a hold granted from a cached entry.
enum class possession { hold, cached_entry, hold_of_cached_entry };

std::ostream& operator<<(std::ostream& out, possession value) {
  constexpr std::array names{"hold", "cached entry", "hold of a cached entry"};
  return out << names[static_cast<std::size_t>(value)];
}

std::int64_t transaction_in(const std::string& answer) {
  BOOST_TEST_REQUIRE(answer.starts_with("granted "));
  return std::stol(answer.substr(answer.find(' ')));
}

/// Another process that has a lock, and a client that wants the lock.
struct other_process {
  explicit other_process(possession what) : child({.command = command(what), .piped = true}) {
    BOOST_TEST(child.read_line() == (what == possession::hold ? "held" : "cached"));
    if (what == possession::hold_of_cached_entry) transaction_in(ask("acquire"));
  }

  std::vector<std::string> command(possession what) const {
    std::vector<std::string> words{ZKLOCK_HOLDER, shared_server().address(), path,
                                   std::to_string(session_timeout.count())};
    if (what != possession::hold) words.emplace_back("cached");
    return words;
  }

  std::string ask(const std::string& line) {
    child.write_line(line);
    return child.read_line();
  }

  std::future<hold> wait() {
    auto next = lock.acquire(asio::use_future);
    wait_until([&] { return entries(witness, path) == 2; });
    return next;
  }

  void halt() {
    child.write_line("halt");
    BOOST_TEST_REQUIRE(child.wait_for_halt());
  }

  /// Returns the transaction that created the entry of the process.
  std::int64_t transaction() {
    return stat_of(witness, entries_in_line(witness, path).at(0)).czxid;
  }

  const std::string path = fresh_path();
  testing::raw_client witness{shared_server().direct_address()};
  background context;
  client zk{context.io, options_for(shared_server().address())};
  mutex lock{zk, path};
  testing::child_process child;
};

} // namespace

BOOST_AUTO_TEST_SUITE(processes, *boost::unit_test::timeout(180))

BOOST_DATA_TEST_CASE(lock_of_a_killed_process_is_free_within_its_session_timeout,
                     data::make({possession::hold, possession::cached_entry,
                                 possession::hold_of_cached_entry}),
                     what) {
  other_process other(what);
  const auto theirs = other.transaction();
  const auto begin = steady_clock::now();
  other.child.signal(SIGKILL);
  auto next = other.wait();
  const hold held = get(next);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST((steady_clock::now() - begin < soon));
  BOOST_TEST(held.token().transaction() > theirs);
  BOOST_TEST(entries(other.witness, other.path) == 1u);
}

// A stopped process runs no timer. When continued, it must not report its hold as held even for a
// moment.
BOOST_DATA_TEST_CASE(hold_of_a_stopped_process_is_in_doubt_at_once_when_it_goes_on,
                     data::make({possession::hold, possession::hold_of_cached_entry}), what) {
  other_process other(what);
  const auto theirs = other.transaction();
  BOOST_TEST(other.ask("look") == "owns, held, valid until a time to come");
  other.halt();
  auto next = other.wait();
  const hold held = get(next);
  BOOST_TEST(held.token().transaction() > theirs);
  other.child.signal(SIGCONT);
  BOOST_TEST(other.child.read_line() == "does not own, in doubt, valid until a time past");
  BOOST_TEST(other.child.read_line() ==
             "lost: " + make_error_code(errc::session_expired).message());
  BOOST_TEST(held.owns_lock());
}

// A stopped process runs no timer. When continued, it must not be granted its cached entry even for
// a moment.
BOOST_AUTO_TEST_CASE(cached_entry_of_a_stopped_process_is_not_granted_when_it_goes_on) {
  other_process other(possession::hold_of_cached_entry);
  const auto cached = other.transaction();
  BOOST_TEST(other.ask("release") == "released");
  other.halt();
  auto next = other.wait();
  hold held = get(next);
  BOOST_TEST(held.token().transaction() > cached);
  other.child.signal(SIGCONT);
  // The process is in line behind this client.
  wait_until([&] { return entries(other.witness, other.path) == 2; });
  BOOST_TEST(!other.child.try_read_line(0ms).has_value());
  BOOST_TEST(held.owns_lock());
  get(held.release(asio::use_future));
  BOOST_TEST(transaction_in(other.child.read_line()) > held.token().transaction());
}

// The stop is shorter than the session timeout, unless the machine is slow.
BOOST_AUTO_TEST_CASE(cached_entry_of_a_process_stopped_for_a_moment_is_revoked_when_it_goes_on) {
  other_process other(possession::cached_entry);
  other.child.halt();
  auto next = other.wait();
  BOOST_TEST(!is_ready(next));
  other.child.signal(SIGCONT);
  hold held = get(next);
  BOOST_TEST(entries(other.witness, other.path) == 1u);
  get(held.release(asio::use_future));
  BOOST_TEST(transaction_in(other.ask("acquire")) > held.token().transaction());
}

BOOST_AUTO_TEST_SUITE_END()
