#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/relay.hpp>

#include "chaos/cluster.hpp"

#include <array>

namespace chaos {
namespace {

namespace testing = zklock::testing;
using namespace std::chrono_literals;

/// The way from a client process to each server: a relay before the server's own relay.
struct client_way {
  std::array<std::unique_ptr<testing::relay>, cluster::servers> relays;
};

class relayed_cluster : public cluster {
 public:
  relayed_cluster(const std::filesystem::path& folder, std::size_t clients)
      : cluster(folder), ensemble_(servers, server_options()), ways_(clients) {
    for (std::size_t client = 0; client < clients; ++client)
      for (std::size_t i = 0; i < servers; ++i)
        ways_[client].relays[i] = std::make_unique<testing::relay>(
            uses_tls(client) ? ensemble_[i].secure_address() : ensemble_[i].address(),
            testing::relay_options{.frames = false});
  }

  std::string addresses_for(std::size_t client) const override {
    std::string all;
    for (const auto& each : ways_.at(client).relays)
      all.append(all.empty() ? "" : ",").append(each->address());
    return all;
  }

  std::vector<std::string> command_for(std::size_t,
                                       std::vector<std::string> command) const override {
    return command;
  }

  std::string direct_address(std::size_t server) const override {
    return ensemble_[server].direct_address();
  }

  void start(std::size_t server) override { ensemble_[server].start(); }
  void stop(std::size_t server) override { ensemble_[server].stop(); }
  void kill(std::size_t server) override { ensemble_[server].kill(); }
  void pause(std::size_t server) override { ensemble_[server].pause(); }
  void resume(std::size_t server) override { ensemble_[server].resume(); }

  void cut_from_peers(std::size_t server, testing::cut how) override {
    ensemble_[server].cut_from_peers(how);
  }

  void cut_from_clients(std::size_t server, testing::cut how) override {
    ensemble_[server].cut_from_clients(how);
  }

  void cut_link(std::size_t one, std::size_t other, testing::cut how) override {
    ensemble_.cut_link(one, other, how);
  }

  void slow_down(std::size_t server, milliseconds delay) override {
    for (testing::relay* each : {&ensemble_[server].clients(), &ensemble_[server].secure_clients()})
      each->delay(testing::direction::to_client, delay);
  }

  void heal_server(std::size_t server) override { ensemble_[server].heal(); }

  void cut_client(std::size_t client, testing::cut how) override {
    for (auto& each : ways_.at(client).relays) {
      if (how == testing::cut::closed)
        each->refuse();
      else
        each->silence();
    }
  }

  void slow_down_client(std::size_t client, milliseconds delay) override {
    for (auto& each : ways_.at(client).relays)
      each->delay(testing::direction::to_server, delay);
  }

  void heal_client(std::size_t client) override {
    for (auto& each : ways_.at(client).relays)
      each->heal();
  }

  void wait_until_serving() override { ensemble_.wait_until_serving(60s); }

 private:
  testing::ensemble ensemble_;
  std::vector<client_way> ways_;
};

} // namespace

std::unique_ptr<cluster> make_relayed_cluster(const std::filesystem::path& folder,
                                              std::size_t clients) {
  return std::make_unique<relayed_cluster>(folder, clients);
}

} // namespace chaos
