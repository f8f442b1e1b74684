// Replies are checked before the C client sees them.
#include "zookeeper/reply_check.hpp"

#include "scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

using namespace zklock::test;
using namespace std::chrono_literals;
using zklock::zookeeper::exchanges;
using zklock::zookeeper::reply_check;
using zklock::zookeeper::reply_layout;
using zklock::zookeeper::server_fault;
using kind = server_fault::kind;

namespace {

const std::string a_stat(68, 's');

std::string_view without_length(const std::string& frame) {
  return std::string_view(frame).substr(4);
}

std::string path() {
  jute_writer out;
  out.put_string("/lock-0000000001");
  return out.bytes();
}

std::string two_names() {
  jute_writer out;
  out.put_int(2);
  out.put_string("one");
  out.put_string("");
  return out.bytes();
}

std::string result(std::int32_t what, bool end, std::string_view body = {}) {
  jute_writer out;
  out.put_int(what);
  out.put_bool(end);
  out.put_int(0);
  out.put_raw(body);
  return out.bytes();
}

/// A check and the requests that it expects replies to.
class expectant {
 public:
  explicit expectant(reply_check::expectations wanted) : check_(std::move(wanted), sent_) {}

  void expect(std::int32_t xid, reply_layout layout, const char* name = "do something",
              bool is_write = false) {
    auto& added = sent_.add();
    added.xid = xid;
    added.label.name = name;
    added.layout = layout;
    added.writes = is_write;
    added.parts = std::exchange(parts_, {});
  }
  /// Adds a part to the next request, which is a transaction.
  void expect_part(reply_layout layout) { parts_.push_back(layout); }
  void withdraw_last() { sent_.withdraw(); }

  std::optional<server_fault> check_begin(std::string_view bytes) const {
    return check_.check_begin(bytes);
  }
  std::optional<server_fault> check(std::string_view frame) { return check_.check(frame); }
  const reply_check* operator->() const { return &check_; }

 private:
  exchanges sent_;
  std::vector<reply_layout> parts_;
  reply_check check_;
};

/// The check of an established connection.
class connected : public expectant {
 public:
  explicit connected(std::size_t credentials = 0)
      : expectant({.resumes = false, .credentials = credentials}) {
    BOOST_REQUIRE(!check(without_length(handshake())));
  }
};

bool accepts(reply_layout layout, std::string_view body, std::int32_t error = 0) {
  auto checked = connected();
  checked.expect(7, layout);
  return !checked.check(without_length(reply_frame(7, body, error)));
}

std::optional<server_fault> fault_of(reply_check::expectations wanted, const std::string& answer) {
  return expectant(std::move(wanted)).check(without_length(answer));
}

} // namespace

BOOST_AUTO_TEST_SUITE(reply_checks)

BOOST_AUTO_TEST_CASE(replies_are_accepted_in_the_order_of_their_requests) {
  auto checked = connected();
  for (std::int32_t i = 1; i <= 100; ++i)
    checked.expect(i, reply_layout::nothing);
  for (std::int32_t i = 1; i <= 100; ++i)
    BOOST_TEST(!checked.check(without_length(reply_frame(i))));
  BOOST_TEST(checked.check(without_length(reply_frame(100)))->text ==
             "it replied to request 100, which was not sent");
  checked.expect(101, reply_layout::nothing);
  checked.expect(102, reply_layout::nothing);
  BOOST_TEST(checked.check(without_length(reply_frame(102)))->text ==
             "it replied to request 102 instead of 101");
}

BOOST_AUTO_TEST_CASE(unimplemented_request_is_reported_ahead_of_other_replies) {
  for (const std::int32_t number : {1, 2}) {
    auto checked = connected();
    checked.expect(1, reply_layout::nothing);
    checked.expect(2, reply_layout::path_and_stat);
    const auto fault = checked.check(without_length(reply_frame(number, {}, -6)));
    BOOST_REQUIRE(fault.has_value());
    BOOST_TEST((fault->what == kind::too_old));
  }
  auto checked = connected();
  checked.expect(1, reply_layout::names);
  const auto fault = checked.check(without_length(reply_frame(1, {}, -6)));
  BOOST_REQUIRE(fault.has_value());
  BOOST_TEST((fault->what == kind::does_not_list_own));
}

BOOST_AUTO_TEST_CASE(withdrawn_request_expects_no_reply) {
  auto checked = connected();
  checked.expect(1, reply_layout::nothing);
  checked.expect(2, reply_layout::nothing);
  checked.withdraw_last();
  checked.expect(3, reply_layout::nothing);
  BOOST_TEST(!checked.check(without_length(reply_frame(1))));
  BOOST_TEST(!checked.check(without_length(reply_frame(3))));
}

BOOST_AUTO_TEST_CASE(answers_to_credentials_are_accepted_once_for_each_sent) {
  auto checked = connected(2);
  BOOST_TEST(!checked.check(without_length(reply_frame(-4))));
  BOOST_TEST(!checked.check(without_length(reply_frame(-4, {}, -115))));
  BOOST_TEST(checked.check(without_length(reply_frame(-4)))->text ==
             "it replied to credentials that were not sent");
}

BOOST_AUTO_TEST_CASE(events_and_pings_are_accepted_without_a_request) {
  auto checked = connected();
  BOOST_TEST(!checked.check(without_length(reply_frame(-2))));
  const auto event = encoded(3) + encoded(3) + path();
  BOOST_TEST(!checked.check(without_length(reply_frame(-1, event))));
  for (std::size_t size = 0; size < event.size(); ++size)
    BOOST_TEST(checked.check(without_length(reply_frame(-1, event.substr(0, size)))).has_value());
  BOOST_TEST(checked.check(without_length(reply_frame(-1, encoded(3) + encoded(3) + encoded(-1))))
                 .has_value());
  // The C client never sets watches again: it has none from an earlier connection.
  BOOST_TEST(checked.check(without_length(reply_frame(-8))).has_value());
}

BOOST_AUTO_TEST_CASE(truncated_body_is_refused) {
  const std::pair<reply_layout, std::string> bodies[] = {
      {reply_layout::path, path()},
      {reply_layout::stat, a_stat},
      {reply_layout::path_and_stat, path() + a_stat},
      {reply_layout::data_and_stat, path() + a_stat},
      {reply_layout::data_and_stat, encoded(-1) + a_stat},
      {reply_layout::names_and_stat, two_names() + a_stat},
      {reply_layout::names, two_names()},
  };
  for (const auto& [layout, body] : bodies) {
    BOOST_TEST(accepts(layout, body));
    // Newer servers may append fields.
    BOOST_TEST(accepts(layout, body + "more"));
    for (std::size_t size = 0; size < body.size(); ++size)
      BOOST_TEST(!accepts(layout, body.substr(0, size)));
    // A reply with an error has no body.
    BOOST_TEST(accepts(layout, "", -101));
  }
  BOOST_TEST(accepts(reply_layout::nothing, ""));
}

BOOST_AUTO_TEST_CASE(impossible_length_or_count_is_refused) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t size : {-2, -1, most, std::numeric_limits<std::int32_t>::min()}) {
    const auto body = encoded(size) + a_stat + a_stat;
    BOOST_TEST(!accepts(reply_layout::path, body));
    BOOST_TEST(!accepts(reply_layout::path_and_stat, body));
    BOOST_TEST(!accepts(reply_layout::names_and_stat, body));
    BOOST_TEST(!accepts(reply_layout::names_and_stat, encoded(1) + body));
    BOOST_TEST(accepts(reply_layout::data_and_stat, body) == (size == -1));
  }
}

BOOST_AUTO_TEST_CASE(transaction_has_a_result_for_each_part) {
  const auto check = [](std::string_view body) {
    auto checked = connected();
    // A part of another transaction, whose results arrived before.
    checked.expect_part(reply_layout::stat);
    checked.expect(6, reply_layout::results);
    checked.expect_part(reply_layout::path);
    checked.expect_part(reply_layout::nothing);
    checked.expect_part(reply_layout::stat);
    checked.expect(7, reply_layout::results);
    BOOST_REQUIRE(!checked.check(
        without_length(reply_frame(6, result(5, false, a_stat) + result(-1, true), 0, 1))));
    return !checked.check(without_length(reply_frame(7, body, 0, 2)));
  };
  const auto created = result(1, false, path());
  const auto removed = result(2, false);
  const auto set = result(5, false, a_stat);
  const auto failed = result(-1, false, encoded(-101));
  const auto end = result(-1, true);
  const auto good = created + removed + set + end;
  BOOST_TEST(check(good));
  BOOST_TEST(check(failed + failed + failed + end));
  BOOST_TEST(!check(created + removed + end));
  BOOST_TEST(!check(created + removed + set + removed + end));
  BOOST_TEST(!check(failed + failed + failed + failed + end));
  BOOST_TEST(!check(removed + created + set + end));
  BOOST_TEST(!check(end));
  for (std::size_t size = 0; size < good.size(); ++size)
    BOOST_TEST(!check(good.substr(0, size)));
}

BOOST_AUTO_TEST_CASE(newest_zxid_is_that_of_the_last_write) {
  const auto nothing = result(-1, true);
  auto checked = connected();
  const auto reply = [&](std::int32_t number, reply_layout layout, bool writes,
                         std::string_view body, std::int64_t zxid, std::int32_t error = 0) {
    checked.expect(number, layout, "write", writes);
    return checked.check(without_length(reply_frame(number, body, error, zxid)));
  };
  BOOST_TEST(!reply(1, reply_layout::results, true, nothing, 0x100000001));
  BOOST_TEST(checked->newest_write() == 0x100000001);
  // A read has the zxid of the last write. A refusal may be by a single server.
  BOOST_TEST(!reply(2, reply_layout::stat, false, a_stat, 0x100000009));
  BOOST_TEST(!reply(3, reply_layout::path_and_stat, true, {}, 0x100000001, -101));
  BOOST_TEST(!reply(4, reply_layout::path_and_stat, true, path() + a_stat, 0x100000002));
  BOOST_TEST(!reply(5, reply_layout::results, true, nothing, 0x200000001));
  BOOST_TEST(!reply(6, reply_layout::nothing, true, {}, 0x200000002));
  BOOST_TEST(checked->newest_write() == 0x200000002);
  BOOST_TEST(!checked->rolled_back_to());
  std::int32_t number = 6;
  for (const std::int64_t zxid : {std::int64_t{0x200000002}, std::int64_t{5}, std::int64_t{-1}}) {
    BOOST_TEST(!reply(++number, reply_layout::results, true, nothing, zxid));
    BOOST_TEST((checked->rolled_back_to() == zxid));
    BOOST_TEST(checked->newest_write() == 0x200000002);
  }
}

BOOST_AUTO_TEST_CASE(zxid_of_a_write_is_compared_with_earlier_connections) {
  expectant checked({.newest_write = 0x100000007});
  BOOST_REQUIRE(!checked.check(without_length(handshake())));
  checked.expect(1, reply_layout::nothing, "write", true);
  BOOST_TEST(!checked.check(without_length(reply_frame(1, {}, 0, 0x100000006))));
  BOOST_TEST((checked->rolled_back_to() == 0x100000006));
}

BOOST_AUTO_TEST_CASE(length_is_checked_as_it_arrives) {
  const auto checked = connected();
  for (const std::int32_t length :
       {0, 15, -1, std::numeric_limits<std::int32_t>::min(), reply_check::longest_frame + 1,
        std::numeric_limits<std::int32_t>::max()})
    BOOST_TEST((checked.check_begin(encoded(length))->what == kind::broken));
  for (const std::int32_t length : {16, reply_check::longest_frame})
    BOOST_TEST(!checked.check_begin(encoded(length)));
  BOOST_TEST(!checked.check_begin("\xff\xff\xff"));
}

BOOST_AUTO_TEST_CASE(first_frame_must_answer_the_handshake) {
  const expectant checked({});
  for (std::size_t size = 0; size < 4; ++size)
    BOOST_TEST(!checked.check_begin(handshake().substr(0, size)));
  BOOST_TEST(!checked.check_begin(encoded(36)));
  for (const auto& begin :
       {encoded(38), encoded(35), std::string("\x01"), std::string("\0\x01", 2)})
    BOOST_TEST((checked.check_begin(begin)->what == kind::not_zookeeper));
}

BOOST_AUTO_TEST_CASE(handshake_that_grants_no_usable_session_is_refused) {
  BOOST_TEST(!fault_of({}, handshake()));
  for (const std::int32_t timeout :
       {0, -1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()})
    BOOST_TEST((fault_of({}, handshake(timeout))->what == kind::not_zookeeper));
  BOOST_TEST((fault_of({}, handshake(6000, 0))->what == kind::not_zookeeper));
  BOOST_TEST((fault_of({}, handshake(6000, 5, true))->what == kind::broken));
  const auto fault = fault_of({.refuse_timeout = too_short}, handshake(100));
  BOOST_TEST((fault->what == kind::session_timeout_too_short));
  BOOST_TEST(fault->text == "it granted too short a session timeout: it is not longer than 100 ms");
  BOOST_TEST(!fault_of({.refuse_timeout = too_short}, handshake(101)));
}

BOOST_AUTO_TEST_CASE(handshake_resumes_the_session_or_reports_its_expiry) {
  BOOST_TEST(!fault_of({.resumes = true}, handshake(6000, 5)));
  // Servers tell so that the session has expired.
  BOOST_TEST((fault_of({.resumes = true}, handshake(0, 0))->what == kind::expired));
}

BOOST_AUTO_TEST_SUITE_END()
