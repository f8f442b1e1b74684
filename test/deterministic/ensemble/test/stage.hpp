#pragma once

#include "client.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ensemble_test {

/// An ensemble without random faults, for a single test.
struct stage {
  explicit stage(std::uint64_t seed, servers::ensemble_options with = {});

  void run_for(std::chrono::nanoseconds time) { clock.run_until(clock.now() + time); }
  /// Runs until the condition holds, and returns whether it does before a simulated minute.
  bool run_until(const std::function<bool()>& condition);
  int some_follower() const { return ensemble.leader() == 0 ? 1 : 0; }
  /// Starts a client that sends pings only.
  client& idle_client(int at);
  bool has(const std::string& path) const { return ensemble.newest().tree.find(path) != nullptr; }

  clockwork clock;
  simulation::dice dice;
  servers::ensemble_options options;
  std::string fault;
  /// The times of the leader's decisions to expire sessions, and the sessions.
  std::vector<std::pair<deterministic::time_point, servers::session_id>> expired;
  std::vector<int> leaders;
  std::function<void()> on_leader;
  servers::ensemble ensemble;
  std::deque<client> clients;
};

/// A client that sends the requests of a test.
class wire {
 public:
  struct reply {
    std::int32_t xid;
    std::int32_t error;
    std::string body;
  };

  wire(stage& on, int to) : stage_(on), to_(to) {}

  /// Begins or resumes a session.
  void connect(std::int64_t session = 0, std::int64_t last_zxid = 0, bool right_password = true);
  void send(std::int32_t xid, std::int32_t type, const std::string& body);
  void create(std::int32_t xid, const std::string& path, std::int32_t flags = 0,
              std::int32_t type = 1);
  void remove(std::int32_t xid, const std::string& path);

  bool is_answered() const noexcept { return answered_; }
  bool is_closed() const noexcept { return closed_; }
  std::int64_t session() const noexcept { return session_; }
  const std::string& raw() const noexcept { return raw_; }
  const std::vector<reply>& replies() const noexcept { return replies_; }
  bool wait(std::size_t count) {
    return stage_.run_until([&] { return replies_.size() >= count || closed_; }) && !closed_;
  }
  bool wait_closed() {
    return stage_.run_until([&] { return closed_; });
  }

 private:
  void take();

  stage& stage_;
  const int to_;
  std::shared_ptr<socket> socket_;
  std::string raw_;
  std::string input_;
  bool answered_ = false;
  bool closed_ = false;
  std::int64_t session_ = 0;
  std::vector<reply> replies_;
};

} // namespace ensemble_test
