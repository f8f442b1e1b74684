#pragma once

#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/requests_sent.hpp"

namespace zklock::test {

/// A client behind a relay that counts. Its checks are so rare that they do not add to the count.
struct counted_client {
  explicit counted_client(background& context) : zk(context.io, seldom_checked(door.address())) {
    wait_until([&] { return zk.connected(); });
    door.reset_counts();
  }

  static client_options seldom_checked(const std::string& servers) {
    auto options = options_for(servers, 60s);
    options.check_interval = 23s;
    return options;
  }

  testing::relay door{shared_server().direct_address()};
  client zk;
};

} // namespace zklock::test
