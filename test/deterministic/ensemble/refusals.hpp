#pragma once

#include "simulation/dice.hpp"
#include "transaction.hpp"

#include <cstddef>
#include <limits>
#include <optional>

namespace deterministic::servers {

/// Requests that a replica answers with an error, and does not carry out.
struct refusal {
  /// How many of a hundred requests.
  std::size_t percent = 0;
  /// `ok` for any error, drawn for each request.
  memory::code error = memory::code::throttled;
  /// How many requests at most.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  /// The replica never says that it cannot list the nodes of a session. A server that cannot is
  /// older than 3.6.0: behind it, a client does not find nodes that a backup has brought back.
  bool lists_own = false;
};

/// Chooses the requests that a replica refuses, and their errors.
class refusals {
 public:
  void set(const refusal& what) noexcept { what_ = what; }

  /// Returns the error for a request; `ok` to carry it out.
  memory::code draw(const memory::request& request, simulation::dice& dice);

 private:
  refusal what_;
};

/// Any error, of ZooKeeper or not.
memory::code any_error(simulation::dice& dice);

/// Whether an error is about the session or the server, and not about the request.
bool is_of_session(memory::code error) noexcept;

/// Whether an error shows that the server is of no use to the client, which asks the next server at
/// once.
bool shows_server(memory::code error) noexcept;

/// Whether it is a transaction that checks nodes, and does nothing else.
bool only_checks(const memory::request& request) noexcept;

/// Whether it is a transaction without parts.
bool is_empty(const memory::request& request) noexcept;

/// How many parts of a transaction can fail with the error; 0 where it is no transaction.
std::size_t failing_parts(const memory::request& request, memory::code error);

} // namespace deterministic::servers
