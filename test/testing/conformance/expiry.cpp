#include <zklock/testing.hpp>

#include "support/raw_client.hpp"
#include "support/stat_of.hpp"
#include "testing/conformance/compared.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace zklock::test {
namespace {

using testing::create_mode;
using testing::raw_client;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

struct ticking_servers {
  testing::server real{{.tick_time = 100ms}};
  testing::memory_server memory{{.tick_time = 100ms}};
};

/// Sessions of which none is closed.
class silent_sessions {
 public:
  explicit silent_sessions(const std::string& address) : address_(address), observer_(address) {
    observer_.create("/sessions");
  }

  void begin(const std::string& name, std::chrono::milliseconds timeout) {
    last_request_[name] = clock::now();
    raw_client& added =
        sessions_.emplace(name, raw_client(address_, {.session_timeout = timeout})).first->second;
    for (const std::string of : {"", "-2"})
      added.create("/sessions/" + name + of, "", create_mode::ephemeral);
    observer_.exists("/sessions/" + name, true);
  }

  void ping(const std::string& name) {
    last_request_[name] = clock::now();
    sessions_.at(name).ping();
  }

  /// Waits for the next session that expires. Calls `meanwhile` all the time.
  template <class Meanwhile>
  void await_expiry(Meanwhile meanwhile) {
    auto event = observer_.next_event(20ms);
    for (; !event; event = observer_.next_event(20ms))
      meanwhile();
    const std::string name = event->path.substr(event->path.rfind('/') + 1);
    const auto silence = clock::now() - last_request_.at(name);
    lines_.push_back(name + " event " + std::to_string(event->type) +
                     (silence < sessions_.at(name).session_timeout() ? " too early" : "") +
                     (observer_.exists(event->path + "-2") ? ", not all nodes" : "") +
                     ", cversion " + std::to_string(stat_of(observer_, "/sessions").cversion) +
                     (resumes(name) ? ", is resumed" : ""));
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  bool resumes(const std::string& name) const {
    const raw_client& old = sessions_.at(name);
    try {
      raw_client again(address_, {.session_id = old.session_id()});
    } catch (const testing::session_gone&) {
      return false;
    }
    return true;
  }

  std::string address_;
  raw_client observer_;
  std::map<std::string, raw_client> sessions_;
  std::map<std::string, clock::time_point> last_request_;
  std::vector<std::string> lines_;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(conformance_expiry, ticking_servers, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(silent_sessions_expire_in_the_order_of_a_real_server) {
  compare(real.address(), memory.address(), [](const std::string& address) {
    silent_sessions all(address);
    all.begin("longest", 5s);
    all.begin("middle", 3s);
    all.begin("pinging", 3s);
    all.begin("short", 1s);
    const auto ping = [&] { all.ping("pinging"); };
    all.await_expiry(ping);
    all.await_expiry(ping);
    // The last ping is two seconds before the end of the longest session.
    all.await_expiry([] {});
    all.await_expiry([] {});
    return all.lines();
  });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
