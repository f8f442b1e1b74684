#pragma once

#include "deterministic/kernel/file.hpp"

#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace deterministic {

class connection;
class kernel;

/// A TCP socket of a client.
class socket final : public file {
 public:
  socket(kernel& of, process* owner, int family) noexcept;

  int connect(const std::string& address);
  ssize_t send(std::string_view bytes, int flags);
  ssize_t receive(void* to, std::size_t size, int flags);
  int shutdown(int how);
  /// SO_ERROR: returns the error and clears it.
  int take_error() noexcept;

  std::uint32_t ready() const override;
  bool is_abandoned() const override { return is_registered() && descriptors() == 1; }
  ssize_t read(void* to, std::size_t size) override { return receive(to, size, 0); }
  ssize_t write(const void* from, std::size_t size) override {
    return send({static_cast<const char*>(from), size}, 0);
  }

  bool is_connected() const noexcept { return state_ == state::connected; }
  int family() const noexcept { return family_; }
  const std::string& peer() const noexcept { return peer_; }
  std::size_t received() const noexcept { return received_.size() - begin_; }

  // Called by the connection.

  void on_connected();
  void on_bytes(std::string_view bytes);
  void on_end();
  /// ECONNREFUSED, ECONNRESET or ETIMEDOUT.
  void on_error(int error);
  /// Some bytes are acknowledged.
  void on_space();
  bool waits_for_space() const noexcept { return waits_for_space_; }

 private:
  enum class state { idle, connecting, connected, closed };

  std::size_t space() const;
  bool is_writable() const;
  void wait_for_space() const;
  void released() override;

  kernel& kernel_;
  const int family_;
  state state_ = state::idle;
  std::string peer_;
  std::shared_ptr<connection> connection_;
  std::string received_;
  std::size_t begin_ = 0;
  int error_ = 0;
  bool ended_ = false;
  bool reading_ended_ = false;
  bool writing_ended_ = false;
  mutable bool waits_for_space_ = false;
  bool send_failed_ = false;
};

} // namespace deterministic
