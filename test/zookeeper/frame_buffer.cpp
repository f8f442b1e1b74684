// A buffer that turns bytes, which arrive in pieces, into frames.
#include "zookeeper/frame_buffer.hpp"

#include "scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock::test;
using zklock::zookeeper::frame_buffer;

namespace {

void write(frame_buffer& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = to.prepare();
    BOOST_REQUIRE(!room.empty());
    const auto size = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), size, room.begin());
    to.commit(size);
    bytes.remove_prefix(size);
  }
}

std::string framed(std::string_view content) {
  jute_writer out;
  out.put_raw(content);
  return out.framed();
}

} // namespace

BOOST_AUTO_TEST_SUITE(frame_buffers)

BOOST_AUTO_TEST_CASE(frame_is_available_once_it_is_complete) {
  frame_buffer buffer;
  const auto frame = framed("content");
  for (std::size_t i = 0; i < frame.size(); ++i) {
    BOOST_TEST(buffer.frame().empty());
    BOOST_TEST(buffer.length().has_value() == (i >= 4));
    write(buffer, frame.substr(i, 1));
  }
  BOOST_TEST(buffer.frame() == frame);
  BOOST_TEST(*buffer.length() == 7);
}

BOOST_AUTO_TEST_CASE(frames_of_all_sizes_keep_their_order) {
  frame_buffer buffer;
  std::vector<std::string> sent;
  for (std::size_t i = 0; i < 300; ++i)
    sent.push_back(framed(std::string(i * i % 70'000, static_cast<char>('a' + i % 26))));
  std::size_t taken = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    write(buffer, sent[i]);
    // The oldest frame is taken in about half of the rounds.
    for (auto count = i % 3; count > 0 && !buffer.frame().empty(); --count) {
      BOOST_REQUIRE(buffer.frame() == sent[taken++]);
      buffer.consume(buffer.frame().size());
    }
  }
  for (; taken < sent.size(); ++taken) {
    BOOST_REQUIRE(buffer.frame() == sent[taken]);
    buffer.consume(buffer.frame().size());
  }
  BOOST_TEST(buffer.bytes().empty());
}

BOOST_AUTO_TEST_CASE(memory_grows_with_bytes_received_not_with_the_announced_length) {
  frame_buffer buffer;
  jute_writer out;
  out.put_int(0x7fffffff);
  write(buffer, out.bytes());
  BOOST_TEST(buffer.prepare().size() < 100'000u);
  write(buffer, std::string(1'000'000, 'x'));
  BOOST_TEST(buffer.prepare().size() < 2'000'000u);
  BOOST_TEST(buffer.frame().empty());
  // The memory is given back.
  buffer.consume(buffer.bytes().size());
  BOOST_TEST(buffer.prepare().size() < 100'000u);
}

BOOST_AUTO_TEST_SUITE_END()
