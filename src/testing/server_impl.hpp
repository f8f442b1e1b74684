#pragma once

#include <zklock/testing/server.hpp>

#include "testing/child_process.hpp"
#include "testing/endpoint.hpp"
#include "testing/peer_links.hpp"
#include "testing/port_reservation.hpp"
#include "testing/server_files.hpp"
#include "testing/temporary_directory.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace zklock::testing {

class server::impl {
 public:
  /// A standalone server.
  explicit impl(server_options options);

  /// The server with this index in an ensemble. `temporary` is null if the data is kept.
  impl(server_options options, std::filesystem::path folder,
       std::shared_ptr<temporary_directory> temporary, std::shared_ptr<peer_links> links,
       std::size_t index);

  ~impl();

  /// Starts the process, and does not wait for a reply.
  void launch();
  void wait_until_ready();
  void start();
  void stop(std::chrono::milliseconds limit);
  void kill();
  void pause();
  void resume();

  void cut_from_clients(cut how);
  void cut_from_peers(cut how);
  void heal();

  bool running() const;
  bool halted() const;
  pid_t process_id() const;

  /// Returns whether the server is running, not halted, and not cut off.
  bool is_unimpaired() const;

  std::string address() const { return clients_.address(); }
  std::string direct_address() const;
  /// Throws `error` without `server_options::tls`.
  relay& secure_clients();
  relay& clients() { return clients_; }
  const relay& clients() const { return clients_; }
  const server_files& files() const { return files_; }

 private:
  /// The port of the server itself for clients with TLS, and the relay before it.
  struct secure_port {
    port_reservation direct;
    relay clients{loopback_address(direct.port()), {.frames = false}};
  };

  template <class Function>
  void for_each_relay(Function function) {
    function(clients_);
    if (secure_) function(secure_->clients);
  }

  bool is_running() const { return process_ && !process_->has_ended(); }
  bool answers() const;
  void end(int signal, std::chrono::milliseconds limit);
  [[noreturn]] void fail(const std::string& what);

  mutable std::mutex mutex_;
  server_options options_;
  std::shared_ptr<temporary_directory> temporary_;
  server_files files_;
  std::shared_ptr<peer_links> links_;
  std::size_t index_ = 0;
  port_reservation direct_port_;
  relay clients_;
  // Null without TLS.
  std::unique_ptr<secure_port> secure_;
  std::optional<child_process> process_;
  std::optional<cut> client_cut_;
  std::optional<cut> peer_cut_;
  bool halted_ = false;
};

} // namespace zklock::testing
