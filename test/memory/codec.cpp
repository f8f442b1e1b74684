#include "testing/memory/codec.hpp"

#include <zklock/testing/error.hpp>

#include "memory/tree.hpp"
#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/memory/frames.hpp"
#include "testing/session_password.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;
using zklock::detail::jute_writer;
using zklock::testing::checked_reader;

namespace {

jute_writer header(std::int32_t xid, operation kind) {
  jute_writer out;
  out.put_int(xid);
  out.put_int(static_cast<std::int32_t>(kind));
  return out;
}

/// Removes the length of a frame.
std::string content(std::string frame) {
  BOOST_TEST(checked_reader(frame).take_int() == static_cast<std::int32_t>(frame.size()) - 4);
  return frame.substr(4);
}

} // namespace

BOOST_AUTO_TEST_SUITE(memory_codec, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(create_request_is_decoded) {
  jute_writer out = header(9, operation::create2);
  out.put_string("/a");
  out.put_buffer({});
  out.put_int(1);
  out.put_int(31);
  out.put_string("world");
  out.put_string("anyone");
  out.put_int(3);
  const request decoded = decode(out.bytes());
  BOOST_TEST(decoded.xid == 9);
  const auto create = std::get<create_request>(std::get<write_request>(decoded.body));
  BOOST_CHECK(create.kind == operation::create2);
  BOOST_TEST(create.path == "/a");
  BOOST_TEST(!create.data);
  BOOST_TEST(create.acl.at(0).scheme == "world");
  BOOST_TEST(create.flags == 3);
}

BOOST_AUTO_TEST_CASE(transaction_is_decoded_to_its_last_header) {
  jute_writer out = header(1, operation::multi);
  for (auto kind : {operation::remove, operation::check}) {
    out.put_int(static_cast<std::int32_t>(kind));
    out.put_bool(false);
    out.put_int(-1);
    out.put_string("/a");
    out.put_int(4);
  }
  out.put_int(-1);
  out.put_bool(true);
  out.put_int(-1);
  const auto multi = std::get<multi_request>(std::get<write_request>(decode(out.bytes()).body));
  BOOST_TEST_REQUIRE(multi.parts.size() == 2U);
  BOOST_TEST(std::get<remove_request>(multi.parts[0]).version == 4);
  BOOST_TEST(std::get<check_request>(multi.parts[1]).path == "/a");
}

BOOST_AUTO_TEST_CASE(truncated_and_unknown_requests_are_told) {
  BOOST_CHECK_THROW(decode("\0\0"), zklock::testing::error);
  const request truncated = decode(header(1, operation::exists).bytes());
  BOOST_TEST(std::holds_alternative<malformed_request>(std::get<local_request>(truncated.body)));
  const request decoded = decode(header(1, operation::add_watch).bytes());
  BOOST_TEST(std::get<unsupported_request>(std::get<local_request>(decoded.body)).kind == 106);
}

BOOST_AUTO_TEST_CASE(connect_response_has_the_flag_only_for_clients_that_send_it) {
  jute_writer out;
  out.put_int(0);
  out.put_long(5);
  out.put_int(4000);
  out.put_long(0);
  out.put_string(std::string(16, '\0'));
  const connect_request old = decode_connect(out.bytes());
  BOOST_TEST(old.last_zxid_seen == 5);
  BOOST_TEST(old.timeout == 4000);
  BOOST_TEST(!old.has_read_only);
  out.put_bool(true);
  const connect_request current = decode_connect(out.bytes());
  BOOST_TEST(current.read_only);
  BOOST_TEST(encode({4000, 3, false}, old).size() + 1 == encode({4000, 3, false}, current).size());

  const std::string frame = content(encode({4000, 3, false}, current));
  checked_reader in(frame);
  BOOST_TEST(in.take_int() == 0);
  BOOST_TEST(in.take_int() == 4000);
  BOOST_TEST(in.take_long() == 3);
  const auto password = zklock::testing::password_of(3);
  BOOST_TEST(in.take_string() ==
             std::string_view(reinterpret_cast<const char*>(password.data()), password.size()));
  BOOST_TEST(!in.take_bool());
}

BOOST_AUTO_TEST_CASE(error_has_no_body) {
  const std::string frame = content(encode(4, 77, code::no_node, stat_reply{}));
  checked_reader in(frame);
  BOOST_TEST(in.take_int() == 4);
  BOOST_TEST(in.take_long() == 77);
  BOOST_TEST(in.take_int() == -101);
  BOOST_TEST(in.rest().empty());
}

BOOST_AUTO_TEST_CASE(event_has_its_type_state_and_path) {
  const std::string frame = content(encode(tree_event{event_type::deleted, "/a", {}}));
  checked_reader in(frame);
  BOOST_TEST(in.take_int() == -1);
  BOOST_TEST(in.take_long() == -1);
  BOOST_TEST(in.take_int() == 0);
  BOOST_TEST(in.take_int() == 2);
  BOOST_TEST(in.take_int() == 3);
  BOOST_TEST(in.take_string() == "/a");
}

BOOST_AUTO_TEST_CASE(frames_are_split_at_any_byte) {
  jute_writer first;
  first.put_string("one");
  const std::string bytes = first.framed() + encode(tree_event{event_type::created, "/a", {}});
  frame_splitter frames;
  std::vector<std::string> found;
  for (char byte : bytes) {
    frames.append({&byte, 1});
    while (auto frame = frames.next())
      found.push_back(*frame);
  }
  BOOST_TEST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0] == first.bytes());
  frames.append(std::string_view("\x7f\0\0\0", 4));
  BOOST_CHECK_THROW(frames.next(), zklock::testing::error);
}

BOOST_AUTO_TEST_CASE(four_letter_word_is_no_frame) {
  frame_splitter frames;
  frames.append("ruo");
  BOOST_TEST(!frames.four_letter_word());
  frames.append("k");
  BOOST_TEST(frames.four_letter_word().value_or("") == "ruok");
}

BOOST_AUTO_TEST_SUITE_END()
