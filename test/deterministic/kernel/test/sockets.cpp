#include "deterministic/kernel/kernel.hpp"
#include "raw_server.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

using namespace deterministic;
using namespace std::chrono_literals;

namespace {

/// A process with a socket.
struct connected {
  explicit connected(std::uint64_t seed = 1, const char* to = "10.0.0.1")
      : linux_kernel({.seed = seed}) {
    linux_kernel.net().listen("10.0.0.1:2181", server);
    one = &linux_kernel.start("one");
    one->call([&] {
      number = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(2181);
      ::inet_pton(AF_INET, to, &address.sin_addr);
      BOOST_TEST(::connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == -1);
      BOOST_TEST(errno == EINPROGRESS);
    });
  }
  ~connected() {
    if (number >= 0) one->call([&] { ::close(number); });
    linux_kernel.run_for(1s);
    linux_kernel.end(*one);
    BOOST_TEST(linux_kernel.faults().empty());
  }

  int ready() {
    pollfd which{number, POLLIN | POLLOUT | POLLRDHUP, 0};
    one->call([&] { ::poll(&which, 1, 0); });
    return which.revents;
  }
  ssize_t send(const std::string& bytes) {
    return one->call([&] { return ::send(number, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
  }
  ssize_t receive(std::string& to) {
    char bytes[64 * 1024];
    const auto size = one->call([&] { return ::recv(number, bytes, sizeof bytes, 0); });
    if (size > 0) to.append(bytes, static_cast<std::size_t>(size));
    return size;
  }
  int error() {
    int found = 0;
    socklen_t size = sizeof found;
    one->call([&] { ::getsockopt(number, SOL_SOCKET, SO_ERROR, &found, &size); });
    return found;
  }

  kernel linux_kernel;
  raw_server server;
  process* one = nullptr;
  int number = -1;
};

} // namespace

BOOST_AUTO_TEST_SUITE(sockets)

BOOST_AUTO_TEST_CASE(connect_completes_after_a_round_trip) {
  connected c;
  BOOST_TEST(c.ready() == 0);
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.ready() == POLLOUT);
  BOOST_TEST(c.error() == 0);
}

BOOST_AUTO_TEST_CASE(connect_to_an_address_without_listener_is_refused) {
  connected c(1, "10.0.0.2");
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.ready() == (POLLIN | POLLOUT | POLLRDHUP | POLLERR | POLLHUP));
  BOOST_TEST(c.error() == ECONNREFUSED);
  BOOST_TEST(c.ready() == (POLLIN | POLLOUT | POLLRDHUP | POLLHUP));
}

BOOST_AUTO_TEST_CASE(connect_over_a_cut_link_times_out) {
  connected c;
  c.linux_kernel.net().cut("one", "10.0.0.1:2181");
  c.linux_kernel.run_for(120s);
  BOOST_TEST(c.ready() == 0);
  c.linux_kernel.run_for(10s);
  BOOST_TEST(c.error() == ETIMEDOUT);
}

BOOST_AUTO_TEST_CASE(connection_whose_answers_are_lost_is_given_up_by_both_ends) {
  connected c;
  c.linux_kernel.net().cut("one", "10.0.0.1:2181", direction::down);
  c.linux_kernel.run_for(20s);
  BOOST_TEST(c.server.client);
  c.linux_kernel.net().cut("one", "10.0.0.1:2181", direction::up);
  c.linux_kernel.run_for(110s);
  BOOST_TEST(c.error() == ETIMEDOUT);
  BOOST_TEST(c.server.closed);
  c.one->call([&] { ::close(std::exchange(c.number, -1)); });
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.linux_kernel.net().count("", "") == 0);
}

BOOST_AUTO_TEST_CASE(full_send_buffer_takes_a_part_and_then_nothing) {
  connected c;
  c.linux_kernel.run_for(1s);
  c.linux_kernel.net().cut("one", "10.0.0.1:2181");
  BOOST_TEST(c.send(std::string(10'000, 'a')) == 10'000);
  BOOST_TEST(c.send(std::string(10'000, 'b')) == 6384);
  BOOST_TEST(c.send("c") == -1);
  BOOST_TEST(errno == EAGAIN);
  BOOST_TEST(c.ready() == 0);
  c.linux_kernel.net().heal("one", "10.0.0.1:2181");
  c.linux_kernel.run_for(100s);
  BOOST_TEST(c.ready() == POLLOUT);
  BOOST_TEST(c.server.received == std::string(10'000, 'a') + std::string(6384, 'b'));
}

BOOST_AUTO_TEST_CASE(bytes_arrive_in_pieces_and_in_order) {
  for (std::uint64_t seed = 1; seed != 50; ++seed) {
    connected c(seed);
    c.server.greeting = std::string(100, 'x') + "end";
    std::string received;
    c.linux_kernel.run_until(10s, [&] {
      c.receive(received);
      return received.size() == 103;
    });
    BOOST_TEST(received == c.server.greeting);
  }
}

BOOST_AUTO_TEST_CASE(reset_after_each_byte_leaves_the_bytes_before_it) {
  for (std::size_t bytes = 0; bytes != 20; ++bytes) {
    connected c(bytes + 1);
    c.linux_kernel.run_for(1s);
    c.linux_kernel.net().reset_after("one", "", direction::down, bytes);
    c.server.client->send("0123456789abcdefghij");
    c.linux_kernel.run_for(1s);
    std::string received;
    while (c.receive(received) > 0) {}
    BOOST_TEST(errno == ECONNRESET);
    BOOST_TEST(received == std::string("0123456789abcdefghij").substr(0, bytes));
    BOOST_TEST(c.server.closed);
    BOOST_TEST(c.receive(received) == 0);
    BOOST_TEST(c.send("x") == -1);
    BOOST_TEST(errno == EPIPE);
  }
}

BOOST_AUTO_TEST_CASE(end_of_the_server_follows_its_bytes) {
  connected c;
  c.linux_kernel.run_for(1s);
  c.server.client->send("last");
  c.server.client->close();
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.ready() == (POLLIN | POLLOUT | POLLRDHUP));
  std::string received;
  BOOST_TEST(c.receive(received) == 4);
  BOOST_TEST(c.receive(received) == 0);
  // The server answers bytes with a reset.
  BOOST_TEST(c.send("x") == 1);
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.error() == EPIPE);
}

BOOST_AUTO_TEST_CASE(connection_ends_when_its_last_descriptor_is_closed) {
  connected c;
  c.linux_kernel.run_for(1s);
  const int other = c.one->call([&] { return ::fcntl(c.number, F_DUPFD_CLOEXEC, 0); });
  BOOST_TEST(other != c.number);
  c.one->call([&] { ::close(c.number); });
  c.linux_kernel.run_for(1s);
  BOOST_TEST(!c.server.closed);
  c.number = other;
  BOOST_TEST(c.send("still") == 5);
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.server.received == "still");
  c.one->call([&] { ::close(c.number); });
  c.number = -1;
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.server.closed);
}

BOOST_AUTO_TEST_CASE(reactor_keeps_the_duplicate_of_a_closed_descriptor) {
  connected c;
  c.linux_kernel.run_for(1s);
  bool readable = false;
  std::optional<boost::asio::posix::stream_descriptor> duplicate;
  c.one->call([&] {
    duplicate.emplace(c.one->context(), ::fcntl(c.number, F_DUPFD_CLOEXEC, 0));
    duplicate->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [&](auto error) { readable = !error; });
    // The number is given to the next descriptor at once.
    ::close(c.number);
    c.number = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  });
  c.server.client->send("x");
  c.linux_kernel.run_for(1s);
  BOOST_TEST(readable);
  c.one->call([&] { duplicate.reset(); });
}

BOOST_AUTO_TEST_CASE(forgotten_connection_is_reset_by_the_next_bytes) {
  connected c;
  c.linux_kernel.run_for(1s);
  c.linux_kernel.net().forget("10.0.0.1:2181");
  c.linux_kernel.run_for(100s);
  BOOST_TEST(c.ready() == POLLOUT);
  BOOST_TEST(!c.server.closed);
  BOOST_TEST(c.send("x") == 1);
  c.linux_kernel.run_for(1s);
  BOOST_TEST(c.error() == ECONNRESET);
}

BOOST_AUTO_TEST_SUITE_END()
