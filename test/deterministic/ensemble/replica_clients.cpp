#include "replica.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

/// The network's knowledge of a connection to a replica.
class replica::program final : public server_program {
 public:
  program(replica& at, connection which)
      : replica_(at), table_(at.connections_), connection_(std::move(which)) {}
  ~program() override { table_->erase(connection_->number); }
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  void on_bytes(std::string_view bytes) override { arrive(std::string(bytes), false); }
  void on_closed() override { arrive(std::nullopt, false); }
  void on_left() override { arrive(std::nullopt, true); }

 private:
  void arrive(std::optional<std::string> what, bool left) {
    if (connection_->is_closed() && what) return;
    connection_->arrived.push_back({replica_.environment_.on.now(), std::move(what), left});
    replica_.environment_.on.run([&at = replica_, of = connection_] { at.arrived(of); });
  }

  replica& replica_;
  const std::shared_ptr<connection_table> table_;
  const connection connection_;
};

// The kernel of a process that has crashed refuses connections; a machine without power says
// nothing.
std::unique_ptr<server_program> replica::accept(std::shared_ptr<server_end> client) {
  const bool is_off = environment_.network.is_off(environment_.id);
  if (!environment_.on.is_alive() && !is_off) return nullptr;
  auto made = std::make_shared<client_connection>(++last_connection_, std::move(client), garbage_);
  if (is_off) made->fall_silent();
  connections_->emplace(made->number, made);
  return std::make_unique<program>(*this, std::move(made));
}

// Bytes of a connection are read in their order.
void replica::arrived(const connection& at) {
  const auto now = environment_.on.now();
  if (slow_ > time_point::zero()) {
    const auto delay = environment_.dice.below(static_cast<std::size_t>(slow_.count()));
    at->read_until = std::max(at->read_until, now + time_point(delay));
  }
  if (at->read_until <= now) return read(at);
  environment_.on.at(at->read_until, [this, at] { read(at); });
}

void replica::read(const connection& at) {
  const auto what = std::move(at->arrived.front());
  at->arrived.pop_front();
  at->reads_of = what.at;
  if (what.bytes) at->is_blameless &= !at->is_late(what.at, environment_.on.now());
  if (!what.bytes) {
    const bool left = what.left && at->now == client_connection::state::open;
    at->close();
    if (member_.service) member_.service->closed(at, left);
  }
  if (!at->is_closed()) {
    if (member_.service)
      member_.service->receive(at, *what.bytes);
    else
      at->close(); // ZooKeeperServer not running
  }
  if (at->is_closed()) connections_->erase(at->number);
}

} // namespace deterministic::servers
