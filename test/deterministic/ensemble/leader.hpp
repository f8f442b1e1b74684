#pragma once

#include "member.hpp"
#include "ordering.hpp"
#include "peer_link.hpp"
#include "session_tracker.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace deterministic::servers {

/// A replica that was elected: ZooKeeper's `Leader` with its `LearnerHandler`s. It serves clients
/// once a quorum has accepted its log.
class leader final : public ordering {
 public:
  explicit leader(member& of);
  ~leader() { stop(); }
  void stop();

  void accept(const std::shared_ptr<peer_link>& from, const message& first);
  bool is_established() const noexcept { return sessions_.has_value(); }
  std::int64_t epoch() const noexcept { return epoch_; }

  void submit(write what) override { order(std::move(what), own); }
  /// Has a write ordered that belongs to no session.
  void propose(memory::write_request what) {
    propose({.origin = member_.id, .request = std::move(what)}, memory::code::ok, false);
  }
  bool sync(std::uint64_t) override { return false; }
  std::uint64_t table() const override { return 0; }
  bool touch(session_id session, std::int32_t timeout, std::uint64_t) override {
    return sessions_->touch(session, timeout);
  }
  void revalidate(session_id session, std::int32_t timeout) override;
  memory::code check(session_id session) override { return sessions_->check(session, own); }

 private:
  static constexpr session_tracker::owner own = 0;

  /// A follower that is connected.
  struct learner {
    std::shared_ptr<peer_link> link;
    session_tracker::owner number;
    int deadline;
    time_point heard;
    zxid last = 0;
    bool has_acked_epoch = false;
    bool is_sent_proposals = false;
    bool has_accepted_log = false;
  };
  using followers = std::map<int, learner>;

  struct outstanding {
    entry what;
    std::set<int> acks{};
  };

  // The beginning of an epoch.
  void receive(int from, const follower_info& what);
  void receive(int from, const ack_epoch& what);
  void receive(int from, const ack_new_leader& what);
  void begin_epoch();
  void bring_up_to_date(learner& which);
  void establish();

  // Transactions.
  void receive(int from, const ack& what);
  void receive(int from, const forward& what);
  void receive(int from, const servers::sync& what);
  void order(write what, session_tracker::owner by);
  void propose(write what, memory::code refused, bool expires);
  void acked(int by, zxid id);
  void commit_next();
  void reap_containers();

  // Sessions and followers.
  void receive(int from, const pong& what);
  void receive(int from, const servers::revalidate& what);
  /// A follower sends no other.
  template <class Other>
  void receive(int, const Other&) {}
  void arrived(int from, const message& what);
  void drop(int which);
  void half_tick();
  void ping_followers();
  bool is_late(int follower) const;

  member& member_;
  bool stopped_ = false;
  followers followers_;
  session_tracker::owner last_owner_ = own;
  std::map<int, std::int64_t> accepted_epochs_;
  std::set<int> epoch_acks_;
  std::set<int> log_acks_;
  std::int64_t epoch_ = 0;
  bool epoch_begun_ = false;

  zxid last_ = 0;
  zxid committed_ = 0;
  std::map<zxid, outstanding> outstanding_;
  std::map<zxid, std::vector<std::pair<int, std::uint64_t>>> syncs_;
  std::optional<session_tracker> sessions_;

  int tick_ = 0;
  bool skips_tick_ = true;
  process::timer give_up_ = 0;
  process::timer half_tick_ = 0;
  process::timer containers_ = 0;
};

} // namespace deterministic::servers
