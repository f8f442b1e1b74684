#pragma once

#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <string>
#include <utility>

namespace zklock::test {

/// Stands for the address of the relay of a scene, in the options of the scene's clients.
inline constexpr auto behind_door = "behind the door of the scene";

/// The parts of a scene that differ from test to test.
struct scene_options {
  client_options ours = options_for(shared_server().address());
  client_options theirs = options_for(shared_server().address());
  /// The threads of a blocking scene.
  int threads = 1;
  /// A part of the path.
  std::string name = "lock";
};

/// A context that the test itself runs.
struct own_context {
  explicit own_context(int) {}

  asio::io_context io{1};
};

/// A client, a path that no other test uses, a relay that counts and breaks connections, and a
/// session of its own that observes.
template <class Context>
struct basic_scene {
  explicit basic_scene(scene_options options = {})
      : loop(options.threads),
        zk(io, connected(std::move(options.ours))),
        path(fresh_path(options.name)) {}

  /// Returns the options with the address of the relay if the client is `behind_door`.
  client_options connected(client_options options) const {
    if (options.servers == behind_door) options.servers = door.address();
    return options;
  }

  Context loop;
  asio::io_context& io = loop.io;
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  client zk;
  const std::string path;
};

/// A scene with another client.
template <class Context>
struct basic_two_clients : basic_scene<Context> {
  explicit basic_two_clients(const scene_options& options = {})
      : basic_scene<Context>(options), other(this->io, this->connected(options.theirs)) {}

  client other;
};

/// For tests that are coroutines.
using scene = basic_scene<own_context>;
using two_clients = basic_two_clients<own_context>;

/// For tests that block.
using blocking_scene = basic_scene<background>;
using two_blocking_clients = basic_two_clients<background>;

/// A scene with a mutex.
struct one_lock : scene {
  using scene::scene;

  mutex lock{zk, path};
};

} // namespace zklock::test
