#pragma once

#include "support/raw_client.hpp"
#include "testing/conformance/random_requests.hpp"
#include "testing/conformance/reply_text.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

/// A server that scripts are played on.
struct stage {
  std::string address;
  std::function<bool(std::int64_t session)> expire;
};

/// Plays the script of a seed on a server: requests of three sessions, which come and go. Each
/// step depends on the seed and on the replies only.
class player {
 public:
  player(stage server, std::uint64_t seed);

  /// Plays the script, and returns a line for each step: its request, and the replies and events.
  std::vector<std::string> play(int steps);

 private:
  struct session {
    testing::raw_client client;
    /// The watches that the client believes to have, by the kinds of a request that sets them.
    std::set<std::string> data{};
    std::set<std::string> exist{};
    std::set<std::string> children{};
  };

  std::string step();
  std::string send(session& by, const random_request& request);
  std::string take_events(bool sorted);
  void forget_watch(session& by, const testing::watch_event& event);
  std::string replace(session& old);
  std::string reconnect(session& broken);
  std::int64_t write_marker(session& by);
  session begin();

  stage server_;
  random_requests requests_;
  reply_text text_;
  std::vector<session> sessions_;
};

} // namespace zklock::test
