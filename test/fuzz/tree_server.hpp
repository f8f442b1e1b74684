#pragma once

#include "fuzz.hpp"
#include "server_frames.hpp"
#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "zookeeper/reply_check.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::fuzz {

/// A server with a small tree of nodes. Most of its replies are right; an input makes some wrong.
class tree_server {
 public:
  static constexpr std::int64_t session = 0x1234;

  explicit tree_server(input& in) : in_(in), frames_(in) {}

  std::string handshake() { return frames_.handshake(session); }

  /// An event of a watch that is set, or of any watch.
  std::string event() { return frames_.event(watched_.empty() ? "/a" : *watched_.begin()); }

  /// Returns the frames sent after a request, whose frame comes without its length.
  std::string answer(std::string_view frame) {
    testing::checked_reader request(frame);
    const auto xid = request.take_int();
    const auto type = request.take_int();
    if (xid == -2) return frames_.ping();
    events_.clear();
    const auto layout = layout_of(type);
    std::string body;
    std::int32_t code = 0;
    if (in_.one_of(32))
      body = frames_.body(layout, "/a");
    else if (type == multi)
      body = transaction(request, code);
    else
      body = perform(type, request, code);
    auto sent = std::move(events_);
    return sent + frames_.reply(xid, body, code);
  }

 private:
  enum : std::int32_t {
    create = 1,
    remove,
    exists,
    get,
    set,
    sync = 9,
    children = 12,
    check,
    multi,
    create2,
    create_container = 19
  };

  static zookeeper::reply_layout layout_of(std::int32_t type) {
    using zookeeper::reply_layout;
    switch (type) {
    case create:
    case create_container:
    case sync:
      return reply_layout::path;
    case create2:
      return reply_layout::path_and_stat;
    case exists:
    case set:
      return reply_layout::stat;
    case get:
      return reply_layout::data_and_stat;
    case children:
      return reply_layout::names_and_stat;
    default:
      return reply_layout::nothing;
    }
  }

  struct node {
    std::string data{};
    std::int64_t czxid = 0;
    std::int32_t ever = 0;
    bool is_ephemeral = false;
  };

  static std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

  std::vector<std::string> children_of(const std::string& path) const {
    std::vector<std::string> names;
    for (const auto& [each, unused] : nodes_)
      if (!each.empty() && parent_of(each) == path) names.push_back(each.substr(path.size() + 1));
    return names;
  }

  std::string stat_of(const std::string& path) const {
    const auto& one = nodes_.at(path);
    const auto count = static_cast<std::int32_t>(children_of(path).size());
    detail::jute_writer out;
    for (const std::int64_t each : {one.czxid, one.czxid, std::int64_t{1'000}, std::int64_t{1'000}})
      out.put_long(each);
    for (const std::int32_t each : {0, 2 * one.ever - count, 0})
      out.put_int(each);
    out.put_long(one.is_ephemeral ? session : 0);
    out.put_int(static_cast<std::int32_t>(one.data.size()));
    out.put_int(count);
    out.put_long(one.czxid);
    return out.bytes();
  }

  static std::string text_of(std::string_view text) {
    detail::jute_writer out;
    out.put_string(text);
    return out.bytes();
  }

  void fire(const std::string& path, std::int32_t type) {
    if (watched_.erase(path) == 0) return;
    detail::jute_writer out;
    out.put_int(-1);
    out.put_long(-1);
    out.put_int(0);
    out.put_int(type);
    out.put_int(3);
    out.put_string(path);
    events_ += out.framed();
  }

  std::string perform(std::int32_t type, testing::checked_reader& request, std::int32_t& code) {
    constexpr std::int32_t no_node = -101;
    constexpr std::int32_t node_exists = -110;
    std::string path(request.take_string());
    if (type == sync) return text_of(path);
    if (path == "/") path.clear();
    if (type == create || type == create2 || type == create_container) {
      const std::string data(request.take_string());
      for (auto count = request.take_int(); count > 0; --count) {
        request.take_int();
        request.take_string();
        request.take_string();
      }
      const auto flags = request.take_int();
      const auto parent = nodes_.find(parent_of(path));
      if (parent == nodes_.end()) return fail(code, no_node);
      if ((flags & 2) != 0 && flags < 4) {
        const auto digits = std::to_string(parent->second.ever);
        path += std::string(10 - digits.size(), '0') + digits;
      }
      if (nodes_.contains(path)) return fail(code, node_exists);
      ++parent->second.ever;
      nodes_[path] = {.data = data, .czxid = ++zxid_, .is_ephemeral = (flags & 1) != 0};
      fire(parent_of(path), 4);
      return text_of(path) + (type == create2 ? stat_of(path) : "");
    }
    const auto found = nodes_.find(path);
    if (found == nodes_.end()) return fail(code, no_node);
    if (type == remove) {
      nodes_.erase(found);
      fire(path, 2);
      fire(parent_of(path), 4);
      return {};
    }
    if (type == check) return {};
    if (type == set) {
      found->second.data = request.take_string();
      fire(path, 3);
      return stat_of(path);
    }
    if (!request.rest().empty() && request.rest().front() != 0) watched_.insert(path);
    if (type == get) return text_of(found->second.data) + stat_of(path);
    if (type == exists) return stat_of(path);
    if (type != children) return {};
    auto names = children_of(path);
    if (in_.one_of(8)) names.emplace_back(in_.text());
    detail::jute_writer out;
    out.put_int(static_cast<std::int32_t>(names.size()));
    for (const auto& name : names)
      out.put_string(name);
    return out.bytes() + stat_of(path);
  }

  static std::string fail(std::int32_t& code, std::int32_t why) {
    code = why;
    return {};
  }

  static std::string result(std::int32_t type, bool end, std::int32_t code) {
    detail::jute_writer out;
    out.put_int(type);
    out.put_bool(end);
    out.put_int(code);
    return out.bytes();
  }

  // Applies all parts, or none.
  std::string transaction(testing::checked_reader& request, std::int32_t& code) {
    const auto before = nodes_;
    std::string good;
    std::size_t parts = 0;
    std::optional<std::size_t> failed;
    for (;; ++parts) {
      const auto type = request.take_int();
      const bool end = request.rest().front() != 0;
      request = testing::checked_reader(request.rest().substr(1));
      request.take_int();
      if (end) break;
      std::int32_t part_code = 0;
      auto body = perform(type, request, part_code);
      if (type == remove || type == check) request.take_int();
      if (type == set) request.take_int();
      good += result(type, false, 0) + body;
      if (part_code == 0) continue;
      code = part_code;
      failed = parts;
      break;
    }
    if (!failed) return good + result(-1, true, -1);
    nodes_ = before;
    std::string bad;
    for (std::size_t i = 0; i <= parts; ++i) {
      detail::jute_writer out;
      out.put_int(i == *failed ? code : i < *failed ? 0 : -2);
      bad += result(-1, false, 0) + out.bytes();
    }
    code = 0;
    return bad + result(-1, true, -1);
  }

  input& in_;
  server_frames frames_;
  std::map<std::string, node> nodes_{{"", {}}, {"/n", {.data = std::string("\0\0\0\3", 4)}}};
  std::set<std::string> watched_;
  std::string events_;
  std::int64_t zxid_ = 1;
};

} // namespace zklock::fuzz
