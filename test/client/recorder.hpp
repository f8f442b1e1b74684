#pragma once

#include "client/requester.hpp"
#include "client/watch_registry.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <variant>
#include <vector>

namespace zklock::test {

using strings = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

/// A session that records the requests of a lock's driver.
class recorder final : public detail::requester, public zookeeper::receiver {
 public:
  void send(zookeeper::request what, zookeeper::receiver& to) override {
    BOOST_TEST(&to == this);
    sent.push_back(path_of(what));
  }
  void remove_watch(const std::string& path, zookeeper::watch_kind) override {
    unwatched.push_back(path);
  }
  bool proven() noexcept override { return true; }
  void when_proven(detail::lock_driver&) override {}
  std::int64_t ephemeral_owner() const noexcept override { return 1; }
  queue::session_token token() const noexcept override { return {1}; }
  queue::entry_id& last_entry() noexcept override { return last_entry_; }
  detail::watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override { return identity_; }
  bool containers() const noexcept override { return true; }
  void log_error(const std::string& line) override { logged.push_back(line); }
  void on_reply(zookeeper::request_tag, const zookeeper::reply&) noexcept override {}

  std::vector<std::string> sent;
  std::vector<std::string> logged;
  std::vector<std::string> unwatched;

 private:
  static std::string path_of(const zookeeper::request& what) {
    if (const auto* entry = std::get_if<zookeeper::create_entry>(&what)) return entry->path;
    if (const auto* made = std::get_if<zookeeper::create_directory>(&what)) return made->path;
    if (const auto* removed = std::get_if<zookeeper::remove>(&what)) return removed->path;
    if (const auto* listed = std::get_if<zookeeper::list>(&what)) return listed->path;
    if (const auto* read = std::get_if<zookeeper::get>(&what)) return read->path;
    if (const auto* asked = std::get_if<zookeeper::exists>(&what)) return asked->path;
    return {};
  }

  queue::entry_id last_entry_ = 0;
  detail::watch_registry watches_;
  const std::string identity_ = "a client";
};

} // namespace zklock::test
