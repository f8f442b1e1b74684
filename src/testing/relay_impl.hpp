#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/endpoint.hpp"
#include "testing/reactor.hpp"
#include "testing/relay_core.hpp"

#include <memory>
#include <string>

namespace zklock::testing {

/// The thread of all relays, and the part of a relay that runs on it.
class relay::impl {
 public:
  impl(const std::string& target, relay_options options)
      : thread(reactor::get()),
        core(std::make_shared<relay_core>(thread->context(), parse_endpoint(target), options)) {
    thread->run([this] { core->open(); });
  }

  ~impl() {
    thread->run([this] { core->shut(); });
  }

  std::shared_ptr<reactor> thread;
  std::shared_ptr<relay_core> core;
};

} // namespace zklock::testing
