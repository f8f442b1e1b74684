// Node data of other clients, in the reports and logs of the library.
#include "hostile_identities.hpp"
#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <mutex>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct text_scene {
  client_options options() {
    auto made = options_for(shared_server().address());
    made.log = [this](log_level, std::string_view line) {
      const std::lock_guard guard(lines_mutex);
      lines.emplace_back(line);
    };
    return made;
  }

  bool logged(const std::string& sentence) {
    const std::lock_guard guard(lines_mutex);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& each) { return each.starts_with(sentence); });
  }

  std::mutex lines_mutex;
  std::vector<std::string> lines;
  background context;
  testing::raw_client witness{shared_server().direct_address()};
  client zk{context.io, options()};
  const std::string path = fresh_path("hostile");
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_text, text_scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(release_request_of_any_bytes_makes_one_short_line_of_the_log) {
  for (const auto& identity : hostile_identities()) {
    lines.clear();
    mutex lock(zk, path);
    hold held = get(lock.acquire(30s, asio::use_future));
    auto asked = held.wait_release_requested(asio::use_future);
    wait_for_watch(held.node());
    witness.set(held.node(), "__REVOKE__\n" + identity);
    const auto requester = get(asked);
    BOOST_TEST(identity.starts_with(requester));
    BOOST_TEST(requester.size() <= 4096u);
    get(held.release(asio::use_future));
    BOOST_TEST(logged("asked to release a lock path="));
    const std::lock_guard guard(lines_mutex);
    for (const auto& each : lines) {
      BOOST_TEST(each.size() < 20'000u);
      BOOST_TEST(is_harmless(each, ""), each);
      BOOST_TEST(!each.starts_with("lost a lock"), each);
    }
  }
}

BOOST_AUTO_TEST_CASE(identity_of_a_participant_is_shortened_at_a_character) {
  witness.create_all(path);
  for (const auto& identity : hostile_identities()) {
    // With a name of zklock, so that a release request keeps the identity.
    const auto node = witness.create(path + "/_c_9d1b3f42-7c1e-8c5a-8a57-0e4f0b7b2a11-lock-",
                                     identity, testing::create_mode::ephemeral_sequential);
    const mutex lock(zk, path);
    const auto all = get(lock.participants(asio::use_future));
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all.front().node == node);
    BOOST_TEST(identity.starts_with(all.front().identity));
    BOOST_TEST(all.front().identity.size() >= std::min<std::size_t>(identity.size(), 4093));
    BOOST_TEST(all.front().identity.size() <= 4096u);
    BOOST_TEST(get(lock.holders(asio::use_future)).front().identity == all.front().identity);
    get(lock.request_release(all.front(), asio::use_future));
    BOOST_TEST(get(lock.participants(asio::use_future)).front().identity == all.front().identity);
    BOOST_TEST(get(lock.break_lock(asio::use_future)) == 1u);
  }
}

BOOST_AUTO_TEST_CASE(many_bytes_of_characters_are_cut_between_two) {
  witness.create_all(path);
  std::string identity = "abc";
  while (identity.size() < 5000)
    identity += "\xe2\x82\xac";
  witness.set(create_foreign_entry(witness, path), identity);
  const auto all = get(mutex(zk, path).participants(asio::use_future));
  BOOST_TEST_REQUIRE(all.size() == 1u);
  BOOST_TEST(all.front().identity == identity.substr(0, 4095));
}

BOOST_AUTO_TEST_SUITE_END()
