#pragma once

#include "zookeeper/record_layer.hpp"
#include "zookeeper/transport.hpp"

#include <memory>
#include <string>

namespace zklock::zookeeper {

/// The bytes of a connection with TLS: carries them between the record layer and the socket.
class tls_transport final : public transport {
 public:
  explicit tls_transport(std::unique_ptr<record_layer> records) noexcept;

  progress shake_hands(int socket) noexcept override;
  ssize_t send(int socket, const void* data, std::size_t size, bool more) noexcept override;
  ssize_t receive(int socket, std::span<char> to) noexcept override;
  void flush(int socket) noexcept override;
  bool wants_to_write() const noexcept override { return !records_->to_send().empty(); }
  void end(int socket) noexcept override;
  std::optional<tls_stats> tls() const override;
  const std::optional<server_fault>& fault() const noexcept override { return records_->fault(); }

 private:
  ssize_t fill(int socket) noexcept;
  void write_staged(int socket) noexcept;
  server_fault ended_in_handshake(int error) const;

  const std::unique_ptr<record_layer> records_;
  // Bytes for the next record.
  std::string staged_;
  // Whether the server has sent anything.
  bool has_answered_ = false;
  bool is_shaken_ = false;
};

} // namespace zklock::zookeeper
