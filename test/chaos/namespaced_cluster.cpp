#include <zklock/testing/error.hpp>

#include "chaos/cluster.hpp"
#include "chaos/hosts.hpp"
#include "testing/child_process.hpp"
#include "testing/java.hpp"
#include "testing/server_files.hpp"
#include "testing/server_queries.hpp"

#include <array>
#include <csignal>
#include <mutex>
#include <thread>

namespace chaos {
namespace {

namespace testing = zklock::testing;
using namespace std::chrono_literals;
using testing::deadline;

constexpr std::uint16_t client_port = 2181;
constexpr std::uint16_t secure_port = 2281;

class namespaced_cluster : public cluster {
 public:
  namespaced_cluster(const std::filesystem::path& folder, std::size_t clients)
      : cluster(folder), folder_(folder), hosts_(servers, clients) {
    for (std::size_t i = 0; i < servers; ++i)
      launch(i);
    wait_until_serving();
  }

  std::string addresses_for(std::size_t client) const override {
    const auto port = uses_tls(client) ? secure_port : client_port;
    std::string all;
    for (std::size_t i = 0; i < servers; ++i)
      all.append(all.empty() ? "" : ",").append(address(i, port));
    return all;
  }

  std::vector<std::string> command_for(std::size_t client,
                                       std::vector<std::string> command) const override {
    return hosts_.command_in(servers + client, std::move(command));
  }

  // This process is no client host: rules about client hosts do not concern it.
  std::string direct_address(std::size_t server) const override {
    return address(server, client_port);
  }

  void start(std::size_t server) override {
    if (!launch(server)) return;
    const deadline limit(start_limit);
    while (!answers(server, "ruok", "imok")) {
      if (limit.over()) throw testing::error("a server does not reply after its start");
      std::this_thread::sleep_for(50ms);
    }
  }

  void stop(std::size_t server) override { end(server, SIGTERM); }
  void kill(std::size_t server) override { end(server, SIGKILL); }

  void pause(std::size_t server) override {
    std::lock_guard lock(mutex_);
    if (processes_[server]) processes_[server]->halt();
  }

  void resume(std::size_t server) override {
    std::lock_guard lock(mutex_);
    if (processes_[server]) processes_[server]->signal(SIGCONT);
  }

  void cut_from_peers(std::size_t server, testing::cut how) override {
    hosts_.cut(server, hosts::all_servers, how);
  }

  void cut_from_clients(std::size_t server, testing::cut how) override {
    hosts_.cut(server, hosts::all_clients, how);
  }

  void cut_link(std::size_t one, std::size_t other, testing::cut how) override {
    hosts_.cut(one, hosts_.address(other), how);
  }

  void slow_down(std::size_t server, milliseconds delay) override {
    hosts_.slow_down(server, delay);
  }

  void heal_server(std::size_t server) override { hosts_.heal(server); }

  void cut_client(std::size_t client, testing::cut how) override {
    hosts_.cut(servers + client, hosts::everything, how);
  }

  void slow_down_client(std::size_t client, milliseconds delay) override {
    hosts_.slow_down(servers + client, delay);
  }

  void heal_client(std::size_t client) override { hosts_.heal(servers + client); }

  void wait_until_serving() override {
    const deadline limit(start_limit);
    for (std::size_t i = 0; i < servers; ++i)
      while (!answers(i, "srvr", "Mode: ")) {
        if (limit.over()) throw testing::error("a server does not serve clients");
        std::this_thread::sleep_for(50ms);
      }
  }

 private:
  std::string address(std::size_t server, std::uint16_t port) const {
    return hosts_.address(server) + ':' + std::to_string(port);
  }

  // Returns whether the server did not run.
  bool launch(std::size_t server) {
    std::lock_guard lock(mutex_);
    auto& process = processes_[server];
    if (process && !process->has_ended()) return false;
    auto options = server_options();
    for (const std::string port : {"clientPort", "secureClientPort"})
      options.configuration.push_back(port + "Address=" + hosts_.address(server));
    std::string peers;
    for (std::size_t i = 0; i < servers; ++i)
      peers += "server." + std::to_string(i + 1) + '=' + hosts_.address(i) + ":2888:3888\n";
    const testing::server_files files(folder_ / std::to_string(server + 1));
    files.write(options, client_port, secure_port, static_cast<int>(server) + 1, peers);
    process.emplace(testing::child_options{
        .command = hosts_.command_in(
            server, testing::java_command(options, files.configuration(), files.scratch())),
        .folder = files.folder(),
        .log = files.log()});
    return true;
  }

  void end(std::size_t server, int signal) {
    std::lock_guard lock(mutex_);
    auto& process = processes_[server];
    if (!process) return;
    process->signal(signal);
    process->signal(SIGCONT);
    if (!process->wait_for_end(5s)) process->signal(SIGKILL);
    process->wait();
  }

  bool answers(std::size_t server, std::string_view word, std::string_view part) const {
    try {
      return testing::query(direct_address(server), word, deadline(500ms)).find(part) !=
             std::string::npos;
    } catch (const testing::error&) {
      return false;
    }
  }

  const std::filesystem::path folder_;
  const hosts hosts_;
  std::mutex mutex_;
  std::array<std::optional<testing::child_process>, servers> processes_;
};

} // namespace

std::unique_ptr<cluster> make_namespaced_cluster(const std::filesystem::path& folder,
                                                 std::size_t clients) {
  return std::make_unique<namespaced_cluster>(folder, clients);
}

} // namespace chaos
