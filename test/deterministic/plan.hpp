#pragma once

#include <zklock/client_options.hpp>

#include "simulation/dice.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace deterministic {

using simulation::dice;

/// A time between two bounds.
std::chrono::milliseconds draw(dice& dice, std::chrono::milliseconds least,
                               std::chrono::milliseconds most);

/// The parameters of a history, drawn from its seed.
struct plan {
  explicit plan(dice& dice);

  /// The options of the next client of that process, but for the servers.
  zklock::client_options next_client(dice& dice, std::size_t process) const;

  /// The bytes that a client may own if there is little room.
  static constexpr std::size_t narrow_room = 4096;

  /// Entries with higher numbers are refused: the servers have too few left.
  static constexpr std::int64_t last_number = (std::int64_t{1} << 31) - (std::int64_t{1} << 20);

  /// For how long a hold is proven at least, and a connection kept, while nothing goes wrong.
  static std::chrono::milliseconds always_ahead(std::chrono::milliseconds session_timeout);

  /// Whether the server list of a client ends with `root`.
  bool has_chroot(std::size_t process, std::size_t client) const noexcept {
    return some_have_chroots && (process + client) % 2 != 0;
  }
  /// Whether the access lists of other processes keep the clients of the process out.
  bool is_stranger(std::size_t process) const noexcept {
    return access != access_kind::open && process + 1 == processes;
  }

  /// No faults: nothing may be in doubt, lost or late.
  bool calm;
  /// Much happens in a short time: most histories are of this kind, so that there are many.
  bool brief;
  /// Of the sessions.
  std::chrono::milliseconds longest_timeout;
  /// How long faults and programs go on.
  std::chrono::milliseconds length;
  std::size_t processes;
  std::size_t clients;
  std::size_t programs;
  std::size_t mutexes;
  std::size_t shared_mutexes;
  std::size_t semaphores;
  /// The limit of the semaphores.
  std::int64_t limit;
  /// The mean of the times between the steps of a program, and of its holds.
  std::chrono::milliseconds think_time;
  std::chrono::milliseconds hold_time;
  /// The mean time between two faults.
  std::chrono::milliseconds fault_interval;
  /// How many of a thousand callbacks destroy their client.
  std::size_t destroys_in_callback = 0;
  std::uint32_t local_handoffs;
  /// The servers are given by their names.
  bool named_servers;
  std::size_t window;
  bool narrow;
  /// Handlers may take long. In a calm history nothing else goes wrong, and no hold is in doubt.
  bool handlers_stall;
  /// Some clients have a chroot, and further clients reach their locks without it.
  bool some_have_chroots;
  /// The permissions that the access lists of the clients give to a client of another identity.
  enum class access_kind : std::uint8_t { open, readable, closed } access;
  /// Servers are overloaded now and then, and refuse requests.
  bool servers_refuse;
  /// Servers answer requests with any error now and then, and do not carry them out.
  bool servers_misanswer = false;
  /// From some moment on servers demand authentication, for a while or for good. Then the clients
  /// that are made later have a credential. The clients of every second process always have one.
  bool servers_demand_authentication = false;
  bool demand_stays = false;
  /// The kernel has no memory for sends, now and then.
  bool is_memory_scarce;
  /// Processes have no descriptors for sockets, or cannot reach the network, now and then.
  bool sockets_fail = false;
  /// An operator deletes entries again and again, several at a time.
  bool is_operator_careless;
  /// A direction of a connection ends, now and then, and the opposite direction goes on.
  bool connections_end_one_way = false;
  /// A server goes on showing nodes that the quorum has deleted.
  bool has_phantoms = false;
  /// The deletes that this server misses are also deletes of sessions that live.
  bool misses_deletes = false;
  /// Clients are destroyed inside the handlers of their operations.
  bool destroys_in_handlers = false;
  /// Programs drop and copy deferred operations, keep objects beside their coroutines, and destroy
  /// all in any order, also while an exception unwinds.
  bool is_careless = false;
  /// How many of a hundred acquires, and of a hundred holds later, get an identity of their own.
  std::size_t named_percent = 0;
  /// Clients have a function that returns the labels of locks.
  bool has_labels = false;
  /// How many loops each process has beside its clients' loop. Bodies run on them.
  std::size_t loops = 0;
  /// The send buffer of a socket, in bytes; small where sends are cut short.
  std::size_t send_buffer;
  /// The interval at which the servers delete empty containers.
  std::chrono::milliseconds container_period;
  /// The servers come back with older data once.
  bool servers_are_restored = false;
  /// The servers grant a new session on each connect.
  bool servers_replace_sessions = false;
  /// Clients are told other lists of servers while they run.
  bool lists_change = false;
  /// Some clients keep locks that no other client wants, and programs use locks several times in a
  /// row.
  bool caching = false;
  /// The first number in each directory; above 0 it is near the last number.
  std::int32_t first_number = 0;
  /// The xid of the first request.
  std::int32_t first_xid = 1;
  /// The end of each lock's name: long if few entries are to fit into the budget of a client.
  std::string name_end;
  /// The directory of all locks, which the first client makes; empty for the servers' own
  /// directory.
  std::string root;
};

} // namespace deterministic
