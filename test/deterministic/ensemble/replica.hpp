#pragma once

#include "deterministic/service.hpp"
#include "election.hpp"
#include "follower.hpp"
#include "garbage.hpp"
#include "leader.hpp"
#include "member.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

namespace deterministic::servers {

/// A server of the ensemble: ZooKeeper's `QuorumPeer`. It looks for a leader, follows or leads.
class replica final : public listener {
 public:
  struct environment {
    int id;
    process& on;
    simulation::dice& dice;
    const ensemble_options& options;
    peer_network& network;
    truth& facts;
    std::function<void(const notification&)> tell;
  };

  explicit replica(environment with);

  std::unique_ptr<server_program> accept(std::shared_ptr<server_end> client) override;
  void receive(const notification& from);

  /// Starts the process, after a crash too.
  void start();
  /// The process ends. Its kernel tells the far ends of its connections, unless the machine has
  /// lost its power: then it does so when it starts.
  void crash(bool loses_power);
  /// The process is down: it starts with `data` and nothing else.
  void restore(const database& data);
  /// Requests of clients and flushes of the disk take up to that long.
  void slow(time_point most);
  garbler& garbage() noexcept { return garbage_; }
  void refuse(const refusal& what) noexcept { member_.refused.set(what); }
  void demand_authentication(bool demands) noexcept { member_.demands_authentication = demands; }

  phantoms& kept() noexcept { return member_.kept; }

  role state() const noexcept;
  /// The epoch in which it leads; 0 if it does not.
  std::int64_t leading_epoch() const noexcept;
  /// Has a write ordered that belongs to no session, where it leads.
  void propose(memory::write_request what);
  const database& data() const noexcept { return member_.data; }
  const server* service() const noexcept { return member_.service.get(); }

 private:
  class program;
  using connection = std::shared_ptr<client_connection>;

  void look(const std::string& why);
  void elect();
  void elected(int leader, std::uint64_t round);
  void retire();
  void arrived(const connection& at);
  void read(const connection& at);
  void trace(const std::string& what) const;

  const environment environment_;
  member member_;
  garbler garbage_;
  std::variant<std::monostate, std::shared_ptr<election>, std::shared_ptr<follower>,
               std::shared_ptr<leader>>
      role_;
  int follows_ = -1;
  std::uint64_t round_ = 0;
  time_point slow_{};
  memory::connection_id last_connection_ = 0;
  using connection_table = std::map<memory::connection_id, connection>;
  /// The process's connections. The network's programs share it, and may outlive the replica.
  std::shared_ptr<connection_table> connections_ = std::make_shared<connection_table>();
};

} // namespace deterministic::servers
