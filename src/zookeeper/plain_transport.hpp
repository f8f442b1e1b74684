#pragma once

#include "zookeeper/transport.hpp"

#include <string>

namespace zklock::zookeeper {

/// The bytes of a connection without TLS.
class plain_transport final : public transport {
 public:
  progress shake_hands(int) noexcept override { return progress::done; }
  ssize_t send(int socket, const void* data, std::size_t size, bool more) noexcept override;
  ssize_t receive(int socket, std::span<char> to) noexcept override;
  bool is_drained() const noexcept override { return is_drained_; }
  const std::optional<server_fault>& fault() const noexcept override { return none_; }

 private:
  // The bytes that go with the next send. They are few: the string never allocates.
  std::string kept_;
  bool is_drained_ = false;
  const std::optional<server_fault> none_;
};

} // namespace zklock::zookeeper
