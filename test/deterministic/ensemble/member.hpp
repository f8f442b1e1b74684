#pragma once

#include "database.hpp"
#include "journal.hpp"
#include "options.hpp"
#include "peer_network.hpp"
#include "phantoms.hpp"
#include "server.hpp"
#include "truth.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace deterministic::servers {

/// The state that a replica's roles share. The epochs, the disk and the data survive a crash: the
/// data stand for a snapshot of the committed transactions.
struct member {
  const int id;
  process& on;
  simulation::dice& dice;
  const ensemble_options& options;
  peer_network& network;
  truth& facts;
  /// Gives up the role, and looks for a leader.
  std::function<void(const std::string& why)> look;

  journal disk{on, dice};
  std::int64_t accepted_epoch = 0;
  std::int64_t current_epoch = 0;
  database data{options};
  phantoms kept{};
  std::uint64_t last_number = 0;
  refusals refused{};
  bool demands_authentication = false;
  /// While the replica serves clients.
  std::shared_ptr<server> service{};

  time_point ticks(int count) const { return count * time_point(options.tick); }

  void apply(const entry& what) {
    facts.check(id, *what);
    const auto result = kept.apply(*what, data.tree, [&] { return data.apply(*what); });
    disk.forget(options.kept_transactions, data.last);
    if (service) service->applied(*what, result);
  }

  void serve(ordering& by) {
    service = std::make_shared<server>(server::environment{id, on, dice, options, data, kept, by,
                                                           last_number, refused,
                                                           demands_authentication, facts});
  }
};

} // namespace deterministic::servers
