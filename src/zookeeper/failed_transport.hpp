#pragma once

#include "zookeeper/transport.hpp"

#include <cerrno>
#include <string>
#include <utility>

namespace zklock::zookeeper {

/// A transport that cannot be used: its handshake fails.
class failed_transport final : public transport {
 public:
  explicit failed_transport(std::string why)
      : fault_(server_fault{server_fault::kind::tls_failed, std::move(why)}) {}

  progress shake_hands(int) noexcept override { return progress::failed; }
  ssize_t send(int, const void*, std::size_t size, bool) noexcept override {
    return static_cast<ssize_t>(size);
  }
  ssize_t receive(int, std::span<char>) noexcept override {
    errno = EPROTO;
    return -1;
  }
  const std::optional<server_fault>& fault() const noexcept override { return fault_; }

 private:
  const std::optional<server_fault> fault_;
};

} // namespace zklock::zookeeper
