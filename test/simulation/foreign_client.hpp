#pragma once

#include "world.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simulation {

/// A client of another library, by the recipe that all of them follow: create, list, watch the
/// predecessor with getData, list again when the watch fires.
class foreign_client {
 public:
  foreign_client(world& world, std::size_t number);

  static std::string uuid(dice& dice);

  /// Wants the lock, if it does not already.
  void start(std::size_t directory);

  /// Releases the lock, or gives up.
  void finish();

  /// Downgrades a writer as Curator does: creates a reader's node beside the writer's, and deletes
  /// the writer's later.
  void downgrade();

  /// Dies. Its session lasts until the servers expire it.
  void crash();

  /// Processes a message from the server. Returns whether a message had arrived.
  bool deliver();

  /// Starts anew once the last session has expired.
  bool revive(std::size_t server);

  const std::string& name() const noexcept { return name_; }
  bool idle() const noexcept { return is_ == state::idle; }
  bool dead() const noexcept { return is_ == state::dead; }
  bool holds() const noexcept { return is_ >= state::holding && is_ <= state::deleting_writer; }
  simulation::connection& connection() noexcept { return connection_; }
  const simulation::connection& connection() const noexcept { return connection_; }
  session_id session() const noexcept { return connection_.session; }

  /// Gives all of it to `to`.
  template <class Writer>
  void describe(Writer& to) const {
    to.value(is_);
    to.value(directory_);
    to.value(wants_);
    to.value(gives_up_);
    to.name(entry_);
    to.name(writer_);
    to.name(permit_);
    to.value(limit_);
    to.value(leaving_);
    to.node(node_);
  }

 private:
  enum class state : std::uint8_t {
    idle,
    making_parents,
    creating,
    listing,
    watching,
    holding,
    making_reader,
    deleting_writer,
    deleting,
    making_permits,
    creating_permit,
    waiting_for_permits,
    dead
  };

  void create();
  void list();
  void remove();
  void remove_permit();
  void removed();
  void treat(const reply& reply);
  void create_permit();
  void list_permits();
  void treat_permits(const reply& reply);
  void look_at_permits(const reply& reply);
  std::size_t permits() const noexcept { return world_.permits_of(directory_); }
  void treat(const event& event);
  void look(const reply& reply);
  void send(request::kind what, std::string name);

  world& world_;
  const std::string name_;
  simulation::connection& connection_;
  state is_ = state::dead;
  std::size_t directory_ = 0;
  role wants_ = role::exclusive;
  bool gives_up_ = false;
  std::string entry_;
  /// The name of the writer's node while the reader's node exists, too.
  std::string writer_;
  /// The node of its permit, and how many there may be, as far as it knows.
  std::string permit_;
  std::uint32_t limit_ = 0;
  /// How many of its nodes are being deleted when it is done.
  int leaving_ = 0;
  node_id node_ = no_such_node;
};

} // namespace simulation
