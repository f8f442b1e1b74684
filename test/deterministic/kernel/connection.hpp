#pragma once

#include "deterministic/kernel/stream.hpp"
#include "deterministic/service.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic {

class connection;
class kernel;
class socket;

/// The state of the network between a process and the address of a server.
struct link {
  std::string name;
  std::string address;
  link_direction up;
  link_direction down;
  std::vector<connection*> connections;

  bool is_faulty() const noexcept { return up.is_faulty() || down.is_faulty(); }
};

/// A TCP connection, from the first packet of the client until both ends have forgotten it.
class connection final : public server_end,
                         public std::enable_shared_from_this<connection>,
                         private stream::sink {
 public:
  connection(kernel& of, socket& client, link& through);
  ~connection() override;

  /// Sends the first packet.
  void open();

  // The client's end.

  void write(std::string_view bytes) { up_.write(bytes); }
  void finish() { up_.finish(); }
  std::size_t unacknowledged() { return up_.unacknowledged(); }
  /// The client waits for space in the send buffer: it is told when arrived bytes are
  /// acknowledged.
  void tell_of_space();
  /// The socket is closed. `unread`: it had received bytes that were not read.
  void release(bool unread);
  bool has_client() const noexcept { return client_ != nullptr; }

  // The server's end.

  void send(std::string_view bytes) override { down_.write(bytes); }
  void close() override;
  void reset() override;

  // Faults.

  /// A direction ends: its receiver reads an end, and the opposite direction goes on.
  void finish_way(bool up);
  /// Both ends notice at once that the connection is broken.
  void tear();
  void break_after(bool up, std::size_t bytes);
  /// The client is killed: its socket is of no use any more.
  void die();
  /// The server forgets the connection without telling the client.
  void forget();
  /// The link is healed.
  void resume();
  /// Its link has a fault, which clients and servers may notice.
  void hurt() noexcept { is_hurt_ = true; }
  /// The network ends.
  void drop() noexcept { program_.reset(); }

 private:
  void reach_server();
  void reach_client();
  void try_again();
  /// Tells the client, after the delay of a packet, that there is no connection.
  void refuse(int error);
  /// As above, for the server.
  void disown();
  void fail_client(int error);
  void end_server(bool tell);
  void remove_if_ended();
  time_point delay(const link_direction& through);

  void on_arrived(stream& from, std::string_view bytes) override;
  void on_end(stream& from) override;
  void on_broken() override { tear(); }

  kernel& kernel_;
  socket* client_;
  link& link_;
  stream up_;
  stream down_;
  std::unique_ptr<server_program> program_;
  /// Of the next packet of the handshake.
  clock::timer packet_ = clock::none;
  int attempts_ = 0;
  bool accepted_ = false;
  bool is_hurt_;
  /// The client has closed it first, without a fault of the network.
  bool is_left_ = false;
  bool removed_ = false;
};

} // namespace deterministic
