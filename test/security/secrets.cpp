// Where a secret must not be: logs, node data, errors.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/captured_output.hpp"
#include "support/server_restorer.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

constexpr std::string_view password = "S3cr3tOfTheTill";
constexpr std::string_view credentials_of_till = "till:S3cr3tOfTheTill";

/// All that leaves a client: lines of the log at every level, and texts of errors.
class gathered {
 public:
  void add(std::string_view text) {
    const std::lock_guard guard(mutex_);
    all_.append(text).append("\n");
  }

  void add_errors() {
    for (int value = 1; value < 64; ++value)
      add(error_code(value, lock_category()).message());
  }

  std::string all() const {
    const std::lock_guard guard(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::string all_;
};

std::string hex_of(std::int64_t session) {
  std::string text;
  for (const auto each : testing::password_of(session)) {
    char code[4];
    std::snprintf(code, sizeof code, "%02x", static_cast<unsigned>(each));
    text += code;
  }
  return text;
}

struct secret_scene {
  client_options options(const std::string& servers) {
    auto made = options_for(servers, 4s);
    made.credentials = {{.secret = std::string(credentials_of_till)}};
    made.access = {{.scheme = "auth", .id = ""}};
    made.log = [this](log_level, std::string_view line) { texts.add(line); };
    return made;
  }

  void expect_no_secret(std::string_view text) {
    BOOST_TEST((text.find(password) == text.npos), text);
  }

  gathered texts;
  background context;
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string path = fresh_path("secret");
};

std::string what_of(const std::function<void()>& failing) {
  try {
    failing();
  } catch (const std::exception& error) {
    return error.what();
  }
  BOOST_ERROR("no exception was thrown");
  return {};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(secrets, secret_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(neither_logs_nor_errors_nor_nodes_have_a_secret) {
  const server_restorer restorer;
  witness.create_all(path);
  witness.add_auth("digest", credentials_of_till);
  std::vector<std::int64_t> sessions;
  std::string data;
  {
    client zk(context.io, options(door.address()));
    client stranger(context.io, options_for(shared_server().address()));
    mutex lock(zk, path + "/lock");
    mutex theirs(stranger, path + "/lock");
    semaphore permits(zk, path + "/permits", 2);
    hold held = get(lock.acquire(30s, asio::use_future));
    const hold permit = get(permits.acquire(2, 30s, asio::use_future));
    sessions.push_back(zk.session_id());
    texts.add(what_of([&] { static_cast<void>(get(theirs.acquire(30s, asio::use_future))); }));
    texts.add(what_of(
        [&] { static_cast<void>(get(lock.acquire(std::chrono::seconds(0), asio::use_future))); }));
    for (const auto& each : {path, path + "/lock", path + "/permits", path + "/permits/leases",
                             held.node(), permit.node()})
      data += each + ' ' + witness.get(each).data + '\n';
    auto asked = held.wait_release_requested(asio::use_future);
    wait_for_watch(held.node());
    witness.set(held.node(), "__REVOKE__\nanna");
    texts.add(get(asked));
    auto lost = held.wait_lost(asio::use_future);
    shared_server().expire(zk.session_id());
    texts.add(get(lost).message());
    wait_until([&] { return zk.connected() && zk.session_id() != sessions.front(); });
    sessions.push_back(zk.session_id());
    door.refuse();
    wait_until([&] { return !zk.connected(); });
    texts.add(what_of([&] { static_cast<void>(get(lock.acquire(100ms, asio::use_future))); }));
    door.heal();
    wait_until([&] { return zk.connected(); });
    get(zk.close(asio::use_future));
    texts.add(what_of([&] { static_cast<void>(get(lock.acquire(asio::use_future))); }));
  }
  {
    // Refused credentials, and credentials of an unknown scheme.
    auto wrong = options(door.address());
    wrong.credentials = {{"no-such-scheme", std::string(password)}};
    client zk(context.io, wrong);
    mutex lock(zk, path + "/other");
    texts.add(what_of([&] { static_cast<void>(get(lock.acquire(30s, asio::use_future))); }));
  }
  texts.add_errors();
  expect_no_secret(texts.all());
  expect_no_secret(data);
  // The scene was rich, and all levels were logged.
  for (const auto* each : {"connected to ", "the session has expired", "could not connect to ",
                           "closing the session", "lost a lock", "asked to release a lock",
                           "refused the credentials", "an access control list forbids it"})
    BOOST_TEST((texts.all().find(each) != std::string::npos), each);
  // Nor the bytes that resume a session.
  for (const auto session : sessions) {
    const auto resumes = testing::password_of(session);
    const std::string_view bytes(reinterpret_cast<const char*>(resumes.data()), resumes.size());
    for (const auto& text : {texts.all(), data}) {
      BOOST_TEST((text.find(bytes) == text.npos));
      BOOST_TEST((text.find(hex_of(session)) == text.npos));
    }
  }
}

BOOST_AUTO_TEST_CASE(refused_options_do_not_name_their_secret) {
  const std::string long_secret = std::string(password) + std::string(70'000, 'x');
  for (const auto& wrong :
       {credential{"", std::string(password)}, credential{"digest", long_secret},
        credential{long_secret, std::string(password)}}) {
    auto bad = options(door.address());
    bad.credentials = {wrong};
    expect_no_secret(what_of([&] { client(context.io, bad); }));
  }
  // Other options that are wrong, beside credentials that are right.
  auto bad = options(door.address());
  bad.max_entries_per_lock = 0;
  expect_no_secret(what_of([&] { client(context.io, bad); }));
  bad = options("no port");
  expect_no_secret(what_of([&] { client(context.io, bad); }));
  bad = options(door.address());
  bad.access = {{.scheme = "", .id = std::string(password)}};
  expect_no_secret(what_of([&] { client(context.io, bad); }));
}

BOOST_AUTO_TEST_CASE(default_log_has_no_secret) {
  captured_output output;
  {
    auto loud = options(door.address());
    loud.log = {};
    client zk(context.io, loud);
    mutex lock(zk, path);
    hold held = get(lock.acquire(30s, asio::use_future));
    auto lost = held.wait_lost(asio::use_future);
    shared_server().expire(zk.session_id());
    get(lost);
  }
  output.restore();
  BOOST_TEST((output.text().find("lost a lock") != std::string::npos));
  expect_no_secret(output.text());
}

BOOST_AUTO_TEST_SUITE_END()
