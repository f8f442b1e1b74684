// Two key-value servers, each with a client. Alice holds the lock of a key when the network between
// her server and ZooKeeper fails: her work ends before Bob, at the second server, gets the lock.
//
//   key_value_server_demo
//
// It starts a ZooKeeper server of its own, to cut a key-value server off from it. The status is 0
// only if the log of the servers shows a single holder at a time.

#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>

#include "support/raw_client.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;
namespace testing = zklock::testing;
using boost::asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

void expect(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("not so: " + what);
}

/// A client of a key-value server, which prints requests and replies. Each wait ends after 30
/// seconds.
class user {
 public:
  user(const std::string& name, const std::string& port) : name_(name), stream_("127.0.0.1", port) {
    expect(stream_.good(), name + " is connected");
  }

  void send(const std::string& request) {
    std::cout << name_ << " > " << request << std::endl;
    stream_ << request << std::endl;
  }

  std::string receive() {
    stream_.expires_after(30s);
    std::string line;
    std::getline(stream_, line);
    expect(stream_.good(), name_ + " is told something: " + stream_.error().message());
    std::cout << name_ << " < " << line << std::endl;
    return line;
  }

  std::string ask(const std::string& request) {
    send(request);
    return receive();
  }

  bool has_been_told() { return stream_.rdbuf()->in_avail() > 0 || stream_.socket().available(); }

 private:
  std::string name_;
  tcp::iostream stream_;
};

class key_value_server {
 public:
  key_value_server(const std::string& zookeeper, const testing::temporary_directory& folder)
      : process_(testing::child_options{
            .command = {fs::read_symlink("/proc/self/exe").parent_path() / "key_value_server",
                        "--servers", zookeeper, "--data", folder.path() / "values",
                        "--session-timeout", "6"},
            .piped = true,
            .log = folder.path() / "log",
            .kept_open = folder.lifeline()}) {
    const auto line = process_.read_line();
    port_ = line.substr(line.rfind(':') + 1);
  }

  const std::string& port() const { return port_; }

  void stop() { expect(process_.stop() == 0, "the server has ended with status 0"); }

 private:
  testing::child_process process_;
  std::string port_;
};

void wait_for_queue(testing::raw_client& zookeeper, const std::string& lock, std::size_t length) {
  while (zookeeper.children(lock, true).size() != length)
    expect(zookeeper.next_event(10s).has_value(), "the queue changes");
}

/// Checks that the log of both servers is begin, end, begin, end: a single holder at a time.
void check_log(const fs::path& file, int expected) {
  std::ifstream log(file);
  std::string line, held;
  int ended = 0;
  std::cout << "\nthe log of both servers:\n";
  while (std::getline(log, line)) {
    const auto what = line.substr(line.find(' ') + 1);
    if (line.starts_with("begin ")) {
      expect(held.empty(), "work begins after other work has ended: " + line);
      held = what;
    } else if (line.starts_with("end ")) {
      expect(held == what, "work ends that was begun: " + line);
      held.clear();
      ++ended;
    } else {
      continue;
    }
    std::cout << "  " << line << '\n';
  }
  expect(held.empty() && ended == expected, "all work has ended");
}

void run() {
  testing::server zookeeper;
  testing::relay cable(zookeeper.direct_address());
  testing::raw_client observer(zookeeper.direct_address());
  testing::temporary_directory folder;
  key_value_server first(cable.address(), folder);
  key_value_server second(zookeeper.direct_address(), folder);
  user alice("Alice", first.port()), bob("Bob  ", second.port());

  expect(alice.ask("LOCK stock").starts_with("LOCKED "), "Alice holds the lock");
  expect(alice.ask("SET 100") == "OK", "Alice writes");
  bob.send("LOCK stock");
  wait_for_queue(observer, "/locks/values/stock", 2);
  expect(alice.ask("SET 99") == "OK", "Alice writes while Bob waits");
  expect(!bob.has_been_told(), "Bob waits while Alice holds the lock");
  expect(alice.ask("UNLOCK") == "UNLOCKED", "Alice has released the lock");
  expect(bob.receive().starts_with("LOCKED "), "Bob holds the lock then");
  expect(bob.ask("GET stock") == "VALUE 99", "Bob reads what Alice wrote");
  expect(bob.ask("UNLOCK") == "UNLOCKED", "Bob has released the lock");

  expect(alice.ask("LOCK stock").starts_with("LOCKED "), "Alice holds the lock again");
  bob.send("LOCK stock");
  wait_for_queue(observer, "/locks/values/stock", 2);
  std::cout << "-- the cable between Alice's server and ZooKeeper breaks" << std::endl;
  cable.silence();
  expect(alice.receive().starts_with("LOST stock: "), "Alice is told that the lock is lost");
  expect(alice.ask("SET 0").starts_with("ERROR "), "Alice's write is refused");
  expect(bob.receive().starts_with("LOCKED "), "Bob gets the lock when the session has expired");
  expect(bob.ask("SET 98") == "OK", "Bob writes");
  expect(bob.ask("UNLOCK") == "UNLOCKED", "Bob has released the lock again");

  std::cout << "-- the cable is mended" << std::endl;
  cable.heal();
  expect(alice.ask("LOCK stock").starts_with("LOCKED "), "Alice holds the lock in a new session");
  expect(alice.ask("GET stock") == "VALUE 98", "Alice reads what Bob wrote");
  expect(alice.ask("UNLOCK") == "UNLOCKED", "Alice has released the lock at the end");

  first.stop();
  second.stop();
  check_log(folder.path() / "log", 5);
}

} // namespace

int main() try { run(); } catch (const std::exception& e) {
  std::cerr << "key_value_server_demo: " << e.what() << '\n';
  return 1;
}
