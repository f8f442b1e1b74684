#pragma once

#include "scene.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace exhaustive {

/// Makes a number of a state; states with equal futures have equal numbers.
///
/// Ids, numbers of requests and numbers of transactions count by their order only: each is replaced
/// by its rank among its kind in the state. The numbers of entries count from the next number,
/// unless the directory may be made anew. Clients are alike: the least number over all orders of
/// the clients counts.
class fingerprint {
 public:
  std::uint64_t of(const scene& scene);

  // The state, as queue::state_writer and the simulation's classes give it.

  void value(auto what) { add(static_cast<std::uint64_t>(what)); }
  void acquisition(std::uint64_t id) { put(kind::acquisition, client_, id); }
  void caller(std::uint64_t id) { put(kind::caller, client_, id); }
  void up_to(std::uint64_t id) { put(kind::acquisition, client_, id, true); }
  void entry(std::uint64_t id) { put(kind::entry, client_, id); }
  void order(std::uint64_t number) { put(kind::order, client_, number); }
  void zxid(std::int64_t id) { put(kind::zxid, 0, static_cast<std::uint64_t>(id)); }
  void number(std::int64_t number) { value(number - base_); }
  void name(std::string_view name);
  void node(simulation::node_id id);
  void session(simulation::session_id session);

 private:
  enum class kind : std::uint8_t { acquisition, caller, entry, order, zxid, token };

  static constexpr std::size_t most_clients = 3;
  static constexpr std::size_t kinds = static_cast<std::size_t>(kind::token) + 1;

  /// A number of which only the rank counts.
  struct item {
    std::size_t among;
    std::uint64_t raw;
    /// Whether it is told how many are no greater; it may itself be none of them.
    bool is_bound;
  };

  /// The description of a client, or of all clients: all of it but ranks and clients is in `sum`.
  struct part {
    std::uint64_t sum = 0;
    std::vector<item> ranked = {};
    std::vector<std::size_t> clients = {};

    void clear() noexcept {
      sum = 0;
      ranked.clear();
      clients.clear();
    }
  };

  void add(std::uint64_t next) noexcept;
  void put(kind is, std::size_t client, std::uint64_t raw, bool is_bound = false);
  void owner(std::size_t client);
  std::size_t owner_of(simulation::session_id session) const;
  void describe_common();
  void describe_client(std::size_t client);
  void describe(const simulation::connection& connection);
  void describe(const simulation::request& sent);
  void describe(const simulation::reply& received);
  void describe(const simulation::event& received);
  void add_ranks(part& of) const;
  std::uint64_t hash(const std::array<std::size_t, most_clients>& places) const;

  const scene* scene_ = nullptr;
  std::int64_t base_ = 0;
  part* to_ = nullptr;
  std::size_t client_ = 0;
  part common_;
  std::array<part, most_clients> clients_;
  /// The numbers that occur, by kind and client.
  std::array<std::vector<std::uint64_t>, kinds * most_clients> used_;
};

} // namespace exhaustive
