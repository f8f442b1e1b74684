#pragma once

#include "zookeeper/write_combiner.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zklock::test::combining {

using zookeeper::reply;
using zookeeper::request_tag;
using zookeeper::status;
using zookeeper::write;
using strings = std::vector<std::string>;

/// A receiver of replies, which notes them.
class lock final : public zookeeper::receiver {
 public:
  explicit lock(std::string called) : name(std::move(called)) {}

  void on_reply(request_tag tag, const reply& answer) noexcept override {
    const char* const result = answer.result == status::ok       ? " ok"
                               : answer.result == status::undone ? " undone"
                                                                 : " failed";
    const bool at = answer.result == status::failed || answer.result == status::no_node;
    told.push_back(
        std::to_string(tag.what) + result +
        (at && !answer.is_refused_whole ? " at " + std::to_string(answer.first_failed) : "") +
        (answer.path.empty() ? "" : " " + std::string(answer.path)) +
        (answer.czxid == 0 ? "" : " " + std::to_string(answer.czxid)));
  }

  const std::string name;
  strings told;
};

/// The session: records the requests.
struct sessions : zookeeper::write_combiner::outlet {
  struct sent_request {
    std::string text;
    zookeeper::receiver* to;
    request_tag tag;
    std::size_t parts;
  };

  void send_now(const zookeeper::request& what, zookeeper::receiver& to, request_tag tag) override {
    const auto* many = std::get_if<zookeeper::transact>(&what);
    sent.push_back({text_of(what), &to, tag, many ? many->writes.size() : 1});
  }
  bool is_delivering() const noexcept override { return delivers; }
  std::size_t most_bytes() const noexcept override { return limit; }

  /// The requests since the last call.
  strings take_sent() {
    strings all;
    for (; told != sent.size(); ++told)
      all.push_back(sent[told].text);
    return all;
  }

  /// Answers the oldest request that has no reply.
  void answer(status result, std::int64_t transaction = 0, const strings& created = {}) {
    const auto first = sent[answered++];
    const std::vector<std::string_view> children(created.begin(), created.end());
    reply one;
    one.result = result;
    one.transaction = transaction;
    one.children = children;
    first.to->on_reply(first.tag, one);
  }

  /// The oldest request without a reply fails at its write `at`; as a whole if `at` is empty.
  void fail(status result, std::optional<std::size_t> at = std::nullopt) {
    const auto first = sent[answered++];
    reply one;
    one.result = result;
    one.is_refused_whole = !at;
    one.first_failed = at.value_or(0);
    first.to->on_reply(first.tag, one);
  }

  static std::string text_of(const zookeeper::request& what) {
    if (const auto* one = std::get_if<zookeeper::create_entry>(&what)) return "+" + one->path;
    if (const auto* one = std::get_if<zookeeper::remove>(&what)) return "-" + one->path;
    std::string text;
    if (const auto* all = std::get_if<zookeeper::transact>(&what))
      for (const auto& one : all->writes)
        text += (one.what == write::kind::create   ? "(+"
                 : one.what == write::kind::remove ? "(-"
                                                   : "(?") +
                one.path + ")";
    return text;
  }

  std::vector<sent_request> sent;
  std::size_t told = 0;
  std::size_t answered = 0;
  std::size_t limit = std::size_t{64} * 1024;
  bool delivers = true;
};

struct scene {
  bool create(lock& of, int tag) {
    const auto path = of.name + std::to_string(tag);
    return combiner.hold(zookeeper::create_entry{.path = path, .data = "me", .may_combine = true},
                         of, {tag, 0});
  }
  bool remove(lock& of, int tag) {
    const auto path = of.name + std::to_string(tag);
    return combiner.hold(zookeeper::remove{.path = path, .may_combine = true}, of, {tag, 0});
  }
  /// A delete that checks another node.
  bool pass_on(lock& of, int tag) {
    const std::vector<write> writes{{.what = write::kind::check, .path = of.name + "next"},
                                    {.what = write::kind::remove, .path = of.name + "own"}};
    return combiner.hold(zookeeper::transact{.writes = writes, .may_combine = true}, of, {tag, 0});
  }

  sessions to;
  zookeeper::write_combiner combiner{to, 20};
  lock a{"a"}, b{"b"}, c{"c"};
};

} // namespace zklock::test::combining
