// Frames of a server, in pieces of any size: the check accepts the same frames however they arrive,
// and `strict_reader` reads every frame that the check accepts.
#include "fuzz.hpp"
#include "server_frames.hpp"
#include "testing/stat_codec.hpp"
#include "zookeeper/frame_buffer.hpp"
#include "zookeeper/reply_check.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace zklock::zookeeper;
using zklock::fuzz::input;
using zklock::fuzz::require;
using zklock::testing::checked_reader;

namespace {

constexpr std::int64_t session_id = 0x1234;

struct expected {
  reply_layout layout;
  std::vector<reply_layout> parts{};
  bool writes = false;
};

// Reads frames that the check has accepted. It throws at the end of a frame.
class strict_reader {
 public:
  explicit strict_reader(std::deque<expected> replies) : replies_(std::move(replies)) {}

  void read(std::string_view frame) {
    checked_reader in(frame);
    const auto xid = in.take_int();
    if (std::exchange(is_handshake_, false)) {
      in.take_int();
      in.take_long();
      require(in.take_string().size() == 16, "an accepted handshake has no password");
      return;
    }
    in.take_long();
    const auto error = in.take_int();
    if (xid == -1) {
      in.take_long();
      take_text(in, 0);
    }
    if (xid < 0) return;
    const auto one = replies_.front();
    replies_.pop_front();
    if (error != 0) return;
    if (one.layout != reply_layout::results) return take(in, one.layout);
    for (const auto part : one.parts)
      if (take_result(in, false) == -1)
        in.take_int();
      else
        take(in, part);
    take_result(in, true);
  }

 private:
  static std::int32_t take_result(checked_reader& in, bool end) {
    const auto type = in.take_int();
    const auto flag = in.rest().substr(0, 1);
    require(!flag.empty() && (flag.front() != 0) == end, "accepted results end elsewhere");
    in = checked_reader(in.rest().substr(1));
    in.take_int();
    return type;
  }

  static void take_text(checked_reader& in, std::int32_t least) {
    auto ahead = in;
    require(ahead.take_int() >= least, "an accepted text has a negative length");
    in.take_string();
  }

  static void take(checked_reader& in, reply_layout layout) {
    if (layout == reply_layout::nothing) return;
    if (layout == reply_layout::path || layout == reply_layout::path_and_stat) take_text(in, 0);
    if (layout == reply_layout::data_and_stat) take_text(in, -1);
    const bool is_list = layout == reply_layout::names || layout == reply_layout::names_and_stat;
    if (is_list)
      for (auto count = in.take_int(); count > 0; --count)
        take_text(in, 0);
    if (layout != reply_layout::path && layout != reply_layout::names) take_stat(in);
  }

  std::deque<expected> replies_;
  bool is_handshake_ = true;
};

struct outcome {
  std::vector<std::string> frames{};
  std::string fault{};
};

// As src/zookeeper/checked_input.cpp does.
outcome feed(std::string_view bytes, const std::deque<expected>& replies,
             const reply_check::expectations& wanted, std::size_t piece) {
  exchanges sent;
  reply_check check(wanted, sent);
  std::int32_t xid = 0;
  for (const auto& each : replies) {
    exchange& added = sent.add();
    added.xid = ++xid;
    added.label.name = "ask";
    added.layout = each.layout;
    added.parts = each.parts;
    added.writes = each.writes;
  }
  frame_buffer arrived;
  outcome result;
  std::optional<server_fault> fault;
  while (!bytes.empty() && !fault) {
    const auto room = arrived.prepare();
    require(!room.empty(), "there is no room for more");
    require(room.size() <= 2 * arrived.bytes().size() + 64 * 1024, "the room is too large");
    const auto size = std::min({room.size(), bytes.size(), piece});
    std::copy_n(bytes.begin(), size, room.begin());
    arrived.commit(size);
    bytes.remove_prefix(size);
    while (!(fault = check.check_begin(arrived.bytes()))) {
      const auto frame = arrived.frame();
      if (frame.empty() || (fault = check.check(frame.substr(frame_length_size)))) break;
      result.frames.emplace_back(frame.substr(frame_length_size));
      arrived.consume(frame.size());
    }
  }
  if (!fault) return result;
  result.fault = fault->text;
  require(!result.fault.empty(), "a fault has no text");
  require(!zklock::fuzz::has_control(result.fault), "a fault has a control character");
  return result;
}

expected any_reply(input& in) {
  expected one{static_cast<reply_layout>(in.below(8))};
  if (one.layout == reply_layout::results)
    for (auto count = in.below(5); count != 0; --count)
      one.parts.push_back(static_cast<reply_layout>(in.below(6)));
  one.writes = one.layout == reply_layout::results;
  return one;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input in(data, size);
  zklock::fuzz::server_frames frames(in);
  reply_check::expectations wanted;
  wanted.resumes = in.one_of(4);
  wanted.credentials = in.below(3);
  const auto piece = in.below(256) + 1;
  std::string bytes = frames.handshake(session_id);
  std::deque<expected> replies;
  while (!in.empty() && replies.size() < 32) {
    switch (in.below(8)) {
    case 0:
      bytes += frames.event("/a");
      break;
    case 1:
      bytes += frames.ping();
      break;
    case 2:
      bytes += frames.auth();
      break;
    case 3:
      bytes += in.text();
      break;
    default:
      const auto one = replies.emplace_back(any_reply(in));
      const auto body = one.layout == reply_layout::results ? frames.results(one.parts, "/a")
                                                            : frames.body(one.layout, "/a");
      bytes += frames.reply(static_cast<std::int32_t>(replies.size()), body);
    }
  }
  const auto whole = feed(bytes, replies, wanted, bytes.size());
  const auto split = feed(bytes, replies, wanted, piece);
  require(split.frames == whole.frames, "the frames depend on how they arrive");
  require(split.fault.empty() == whole.fault.empty(), "a fault depends on how the frames arrive");
  strict_reader reader(replies);
  for (const auto& frame : whole.frames)
    reader.read(frame);
  return 0;
}
