#pragma once

#include "service.hpp"
#include "support/fake_tls.hpp"

#include <memory>
#include <random>

namespace deterministic {

/// The TLS in front of a server.
class secure_front final : public listener {
 public:
  secure_front(listener& server, unsigned seed) : server_(server), random_(seed) {}

  std::unique_ptr<server_program> accept(std::shared_ptr<server_end> client) override;

 private:
  listener& server_;
  std::minstd_rand random_;
};

} // namespace deterministic
