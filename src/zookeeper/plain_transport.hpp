#pragma once

#include "zookeeper/transport.hpp"

namespace zklock::zookeeper {

/// The bytes of a connection without TLS. It keeps none: the socket does.
class plain_transport final : public transport {
 public:
  progress shake_hands(int) noexcept override { return progress::done; }
  ssize_t send(int socket, const void* data, std::size_t size, bool more) noexcept override;
  ssize_t receive(int socket, std::span<char> to) noexcept override;
  const std::optional<server_fault>& fault() const noexcept override { return none_; }

 private:
  const std::optional<server_fault> none_;
};

} // namespace zklock::zookeeper
