#pragma once

#include "fuzz.hpp"
#include "support/jute_writer.hpp"
#include "zookeeper/reply_check.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::fuzz {

/// The frames of a server in ZooKeeper's protocol, mostly valid, with values from an input.
class server_frames {
 public:
  explicit server_frames(input& in) noexcept : in_(in) {}

  std::string handshake(std::int64_t session) {
    detail::jute_writer out;
    out.put_int(0);
    out.put_int(in_.one_of(8) ? in_.take<std::int32_t>() : 10'000);
    out.put_long(in_.one_of(8) ? in_.take<std::int64_t>() : session);
    out.put_string(in_.one_of(16) ? in_.text() : std::string_view("pppppppppppppppp"));
    if (!in_.one_of(8)) out.put_bool(in_.one_of(8));
    return mutated(out.bytes());
  }

  std::string event(std::string_view watched) {
    auto out = header(-1, 0);
    out.put_int(in_.one_of(8) ? in_.take<std::int32_t>()
                              : static_cast<std::int32_t>(in_.below(4)) + 1);
    out.put_int(in_.one_of(8) ? in_.take<std::int32_t>() : 3);
    out.put_string(in_.one_of(4) ? in_.text() : watched);
    return mutated(out.bytes());
  }

  std::string ping() { return mutated(header(-2, 0).bytes()); }
  std::string auth() { return mutated(header(-4, error(4)).bytes()); }

  /// A reply to a request, with the error `right` or another; the body is of a successful reply.
  std::string reply(std::int32_t xid, std::string_view body, std::int32_t right = 0) {
    const auto wrong = error(6);
    const auto code = wrong == 0 ? right : wrong;
    auto out = header(in_.one_of(32) ? in_.take<std::int32_t>() : xid, code);
    if (code == 0 || in_.one_of(8)) out.put_raw(body);
    return mutated(out.bytes());
  }

  /// The body of a successful reply. `of` is the path in the request.
  std::string body(zookeeper::reply_layout layout, std::string_view of) {
    using zookeeper::reply_layout;
    std::string made;
    switch (layout) {
    case reply_layout::path:
      return path(of);
    case reply_layout::stat:
      return stat();
    case reply_layout::path_and_stat:
      made = path(of);
      return made + stat();
    case reply_layout::data_and_stat:
      made = data();
      return made + stat();
    case reply_layout::names_and_stat:
      made = names();
      return made + stat();
    case reply_layout::names:
      return names();
    case reply_layout::nothing:
    case reply_layout::results:
      break;
    }
    return made;
  }

  /// The body of the reply to a transaction with `parts`.
  std::string results(const std::vector<zookeeper::reply_layout>& parts, std::string_view of) {
    std::string all;
    const bool fails = in_.one_of(4);
    for (const auto part : parts) {
      if (fails || in_.one_of(32)) {
        const auto code = error(2);
        all += result(-1, false, code) + word(code);
      } else {
        all += result(1, false, 0);
        all += body(part, of);
      }
    }
    return all + result(-1, !in_.one_of(32), -1);
  }

  /// An error of ZooKeeper, once in so many times.
  std::int32_t error(std::size_t in_so_many) {
    static constexpr std::array<std::int32_t, 12> codes{-101, -110, -102, -108, -103, -111,
                                                        -112, -118, -2,   -4,   -127, -6};
    if (!in_.one_of(in_so_many)) return 0;
    return in_.one_of(8) ? in_.take<std::int32_t>() : codes[in_.below(codes.size())];
  }

 private:
  detail::jute_writer header(std::int32_t xid, std::int32_t code) {
    detail::jute_writer out;
    out.put_int(xid);
    out.put_long(++zxid_);
    out.put_int(code);
    return out;
  }

  std::string path(std::string_view of) {
    detail::jute_writer out;
    if (in_.one_of(4))
      out.put_string(in_.text());
    else
      out.put_string(std::string(of) + number());
    return out.bytes();
  }

  std::string stat() {
    const auto mode = in_.below(4);
    if (mode == 3) return padded(in_.take_bytes(68));
    detail::jute_writer out;
    const std::int64_t czxid = in_.take<std::uint16_t>();
    for (const std::int64_t each : {czxid, czxid, std::int64_t{1'000}, std::int64_t{1'000}})
      out.put_long(each);
    for (const std::int32_t each : {0, static_cast<std::int32_t>(in_.below(32)), 0})
      out.put_int(each);
    out.put_long(mode == 0 ? 0 : 0x1234);
    out.put_int(0);
    out.put_int(static_cast<std::int32_t>(in_.below(8)));
    out.put_long(czxid);
    return out.bytes();
  }

  std::string data() {
    detail::jute_writer out;
    if (in_.one_of(8))
      out.put_int(-1);
    else
      out.put_string(in_.text());
    return out.bytes();
  }

  std::string names() {
    detail::jute_writer out;
    const auto count = in_.below(8);
    out.put_int(static_cast<std::int32_t>(count));
    for (std::size_t i = 0; i < count; ++i)
      out.put_string(in_.text());
    return out.bytes();
  }

  // The header of a part's result, or of the end of the results.
  static std::string result(std::int32_t type, bool end, std::int32_t code) {
    detail::jute_writer out;
    out.put_int(type);
    out.put_bool(end);
    out.put_int(code);
    return out.bytes();
  }

  static std::string word(std::int32_t value) {
    detail::jute_writer out;
    out.put_int(value);
    return out.bytes();
  }

  std::string number() {
    const auto digits = std::to_string(in_.take<std::uint8_t>());
    return std::string(10 - digits.size(), '0') + digits;
  }

  static std::string padded(std::string_view bytes) {
    std::string all(bytes);
    all.resize(68);
    return all;
  }

  // As a frame; now and then truncated, extended, with another byte or another length.
  std::string mutated(std::string body) {
    const auto how = in_.below(64);
    if (how == 60) body.resize(in_.below(256) % (body.size() + 1));
    if (how == 61) body.append(in_.text());
    if (how == 62 && !body.empty()) body[in_.below(256) % body.size()] = in_.take<char>();
    detail::jute_writer out;
    out.put_int(how == 63 ? in_.take<std::int32_t>() : static_cast<std::int32_t>(body.size()));
    out.put_raw(body);
    return out.bytes();
  }

  input& in_;
  std::int64_t zxid_ = 0;
};

} // namespace zklock::fuzz
