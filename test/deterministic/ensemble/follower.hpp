#pragma once

#include "member.hpp"
#include "ordering.hpp"
#include "peer_link.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>

namespace deterministic::servers {

/// A replica that follows a leader: ZooKeeper's `Follower` and `Learner`.
class follower final : public ordering {
 public:
  follower(member& of, int leader);
  ~follower() { stop(); }
  void stop();

  void submit(write what) override { link_->send(member_.id, forward{std::move(what)}); }
  bool sync(std::uint64_t number) override;
  std::uint64_t table() const override { return table_; }
  bool touch(session_id session, std::int32_t timeout, std::uint64_t table) override;
  void revalidate(session_id session, std::int32_t timeout) override;
  memory::code check(session_id) override { return memory::code::ok; }

 private:
  void connect();
  void watch_leader();
  time_point limit() const;
  void apply_committed();

  void receive(const leader_info& from);
  void receive(const history& from);
  void receive(const new_leader& from);
  void receive(const up_to_date& from);
  void receive(const proposal& from);
  void receive(const commit& from);
  void receive(const ping& from);
  void receive(const servers::sync& from);
  void receive(const servers::revalidate& from);
  /// The leader sends no other.
  template <class Other>
  void receive(const Other&) {}

  member& member_;
  const int leader_;
  std::shared_ptr<peer_link> link_;
  int attempts_ = 0;
  bool accepted_ = false;
  bool up_to_date_ = false;
  bool stopped_ = false;
  time_point heard_{};
  process::timer timer_ = 0;
  process::timer retry_ = 0;
  /// Logged, and not applied yet.
  std::deque<entry> proposed_;
  zxid committed_ = 0;

  std::map<session_id, std::int32_t> touched_;
  std::uint64_t table_ = 0;
  /// The sessions whose last entry was lost.
  std::set<session_id> lost_;
};

} // namespace deterministic::servers
