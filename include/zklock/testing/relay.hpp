#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/frame.hpp>
#include <zklock/testing/hook.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zklock::testing {

/// Options of a relay.
struct relay_options {
  /// The port to listen on, on 127.0.0.1; 0 picks a free one.
  std::uint16_t port = 0;

  /// Whether what passes is ZooKeeper's client protocol, which is then counted and can be hooked.
  /// Otherwise any bytes do.
  bool frames = true;
};

/// Listens on a port of the loopback interface, passes what comes to another one, and breaks the
/// connections in between on request.
///
/// All relays of a process share one thread. Deadlines are long enough for a loaded machine; what
/// is not done by then throws `error`.
///
/// Thread safety: safe, except that no function may be called from inside a `frame_predicate`.
class ZKLOCK_EXPORT relay {
 public:
  /// Starts passing connections on to `target`, a numeric address and a port such as
  /// `127.0.0.1:2181`. Nothing needs to listen there yet. Throws `error` when the address is none
  /// or the port to listen on is taken.
  explicit relay(const std::string& target, relay_options options = {});

  /// Closes everything.
  ~relay();

  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  /// Returns where it listens: `127.0.0.1:PORT`.
  std::string address() const;

  /// Returns the port it listens on. It stays the same, and reserved, for the relay's life.
  std::uint16_t port() const;

  /// Resets all connections. New ones are taken.
  void cut();

  /// Resets all connections and refuses new ones until `accept` or `heal`.
  void refuse();

  /// Takes new connections again after `refuse`, and changes nothing else.
  void accept();

  /// Goes silent in both directions, until `heal`. Connections stay and new ones are taken, but no
  /// byte passes, and neither side is told of the end of a connection. A pulled cable looks like
  /// this. `heal` passes on what was sent meanwhile.
  void silence();

  /// Goes silent in one direction, until `heal`: no byte passes, and the other side is not told of
  /// the end of a connection.
  void silence(direction way);

  /// Holds every byte back for `time` on its way from now on; 0 ends that, as `heal` does.
  void delay(direction way, std::chrono::milliseconds time);

  /// Ends `refuse`, `silence`, `delay` and the silence made by hooks. Hooks that have not fired
  /// stay.
  void heal();

  /// Does `what` with the first frame in direction `way` that `which` picks. Among several hooks
  /// the one set first decides. Throws `error` unless the relay knows frames.
  hook when(direction way, frame_predicate which, reaction what);

  /// Cuts the connection instead of passing on the next request of this kind: the server never sees
  /// it.
  hook cut_before_request(operation kind);

  /// Cuts the connection instead of passing on the next reply to a request of this kind: the server
  /// has carried it out and the client does not learn it.
  hook cut_before_reply(operation kind);

  /// Returns how many requests of this kind were passed on to the server.
  std::uint64_t requests(operation kind) const;

  /// Returns how many requests were passed on to the server, without pings and without the connect
  /// frames that begin connections.
  std::uint64_t total_requests() const;

  /// Returns how many replies to requests of this kind (with `operation::notification`: how many
  /// watch events) were passed on to clients.
  std::uint64_t replies(operation kind) const;

  /// Returns how many bytes were passed on, lengths of frames included.
  std::uint64_t bytes(direction way) const;

  /// Returns how many connections were accepted.
  std::uint64_t accepted() const;

  /// Sets `requests`, `replies`, `bytes` and `accepted` to 0.
  void reset_counts();

  /// Returns how many connections are open now.
  std::size_t connections() const;

  /// Waits until exactly `count` connections are open, `limit` at most; throws `error` then.
  void wait_for_connections(std::size_t count,
                            std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing
