// No system call may wait on the thread that runs the executor, with any kind of server.
#include <zklock/testing/authority.hpp>
#include <zklock/testing/relay.hpp>

#include "canned_server.hpp"
#include "scripted_server.hpp"
#include "user.hpp"
#include "zookeeper/rotating_tls.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <limits>
#include <set>

namespace {

// The calls that waited on this thread while it was watched.
thread_local std::set<std::string>* waits = nullptr;

void note(bool waited, const char* what) {
  if (waits && waited) waits->insert(what);
}

bool blocks(int descriptor, int flags) {
  return (flags & MSG_DONTWAIT) == 0 && (::fcntl(descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

} // namespace

// These functions replace the C library's in all code that is linked into the test.
extern "C" {

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  note(timeout != 0, "poll");
  return static_cast<int>(::syscall(SYS_poll, descriptors, count, timeout));
}

int select(int count, fd_set* to_read, fd_set* to_write, fd_set* other, timeval* timeout) {
  note(!timeout || timeout->tv_sec != 0 || timeout->tv_usec != 0, "select");
  return static_cast<int>(::syscall(SYS_select, count, to_read, to_write, other, timeout));
}

int nanosleep(const timespec* time, timespec* left) {
  note(true, "nanosleep");
  return static_cast<int>(::syscall(SYS_nanosleep, time, left));
}

ssize_t recv(int socket, void* to, std::size_t size, int flags) {
  note(blocks(socket, flags), "recv");
  return ::syscall(SYS_recvfrom, socket, to, size, flags, nullptr, nullptr);
}

ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  note(blocks(socket, flags), "send");
  return ::syscall(SYS_sendto, socket, data, size, flags, nullptr, 0);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  note(blocks(socket, flags), "sendmsg");
  return ::syscall(SYS_sendmsg, socket, message, flags);
}

int connect(int socket, const sockaddr* address, socklen_t size) {
  note(blocks(socket, 0), "connect");
  return static_cast<int>(::syscall(SYS_connect, socket, address, size));
}

} // extern "C"

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::error_code;

namespace {

/// Notes the calls that wait on this thread.
class watched {
 public:
  watched() { waits = &seen; }
  ~watched() { waits = nullptr; }

  std::set<std::string> seen;
};

/// Answers the handshake, and the first request with this; then it stays silent.
scripted_server::script after_handshake(std::function<std::string(std::int32_t)> answer) {
  return [answer](int index, std::string_view frame) -> std::optional<std::string> {
    if (index == 0) return handshake(1500);
    return index == 1 ? answer(number_of(frame)) : "";
  };
}

scripted_server::script as_handshake(std::string answer) {
  return [answer](int, std::string_view) -> std::optional<std::string> { return answer; };
}

struct bad_server {
  const char* name;
  scripted_server::script answers;
};

const std::vector<bad_server>& bad_servers() {
  static const std::vector<bad_server> all{
      {"hangs up at the handshake", [](int, std::string_view) { return std::nullopt; }},
      {"says nothing", as_handshake("")},
      {"breaks off", as_handshake(handshake().substr(0, 9))},
      {"speaks something else", as_handshake("HTTP/1.1 400 Bad Request\r\n\r\n")},
      {"is read-only", as_handshake(handshake(1500, scripted_session, true))},
      {"grants no time", as_handshake(handshake(0))},
      {"grants all the time", as_handshake(handshake(std::numeric_limits<std::int32_t>::max()))},
      {"grants too little time", as_handshake(handshake(100))},
      {"grants no session", as_handshake(handshake(1500, 0))},
      {"ends the session",
       [count = 0](int index, std::string_view) mutable -> std::optional<std::string> {
         if (index != 0) return std::nullopt;
         return ++count % 2 == 0 ? handshake(0, 0) : handshake(1500);
       }},
      {"grants another session",
       [session = scripted_session](int index,
                                    std::string_view) mutable -> std::optional<std::string> {
         if (index != 0) return std::nullopt;
         return handshake(1500, ++session);
       }},
      {"falls silent", after_handshake([](std::int32_t) { return ""; })},
      {"refuses credentials",
       after_handshake([](std::int32_t) { return reply_frame(-4, {}, -115); })},
      {"replies to no request", after_handshake([](std::int32_t) { return reply_frame(5); })},
      {"announces less than nothing", after_handshake([](std::int32_t) { return encoded(-1); })},
      {"announces too much", after_handshake([](std::int32_t) {
         return encoded(0x7fffffff) + std::string(100'000, 'x');
       })},
      {"announces much", after_handshake([](std::int32_t) {
         return encoded(50'000'000) + std::string(100'000, 'x');
       })},
      {"cuts replies short",
       after_handshake([](std::int32_t number) { return reply_frame(number); })},
      {"says that the session is over",
       after_handshake([](std::int32_t number) { return reply_frame(number, {}, -112); })},
  };
  return all;
}

/// Runs a session at each kind of bad server, and returns the calls that waited.
std::set<std::string>
among_bad_servers(bool credentials,
                  const std::function<void(user&, const scripted_server&)>& work) {
  std::set<std::string> seen;
  for (const auto& each : bad_servers()) {
    BOOST_TEST_CONTEXT("a server that " << each.name) {
      asio::io_context io{1};
      scripted_server server(io, each.answers);
      const watched here;
      user self(io, server.address(), 1500ms);
      if (credentials) self.options.credentials = {{"digest", "alice:secret"}};
      self.options.refuse_timeout = too_short;
      self.reaction = [&](std::string_view event) {
        if (event == "connected")
          self.session->send(zookeeper::list{.path = "/", .watch = true}, self, {1, 0});
      };
      self.start();
      work(self, server);
      for (const auto& what : here.seen)
        seen.insert(what + " with a server that " + each.name);
    }
  }
  return seen;
}

} // namespace

BOOST_AUTO_TEST_SUITE(no_waiting)

BOOST_AUTO_TEST_CASE(watch_notes_calls_that_wait) {
  const watched here;
  ::poll(nullptr, 0, 1);
  timespec time{0, 1};
  ::nanosleep(&time, nullptr);
  BOOST_TEST(here.seen == (std::set<std::string>{"nanosleep", "poll"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bad_server_is_left_without_waiting) {
  for (const bool credentials : {false, true}) {
    const auto waited =
        among_bad_servers(credentials, [](user& self, const scripted_server& server) {
          self.wait("given up twice", [&] { return self.failure || server.clients() >= 3; });
        });
    BOOST_TEST(waited == std::set<std::string>{}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(session_is_abandoned_without_waiting) {
  // After any number of handlers: in each phase.
  for (std::size_t handlers = 0; handlers < 12; ++handlers) {
    const auto waited = among_bad_servers(false, [=](user& self, const scripted_server&) {
      std::size_t left = handlers;
      self.wait("handlers", [&] { return left-- == 0; });
      self.session->abandon();
    });
    BOOST_TEST(waited == std::set<std::string>{}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(session_is_closed_without_waiting) {
  for (std::size_t handlers = 0; handlers < 12; handlers += 3) {
    const auto waited = among_bad_servers(false, [=](user& self, const scripted_server&) {
      std::size_t left = handlers;
      self.wait("handlers", [&] { return left-- == 0; });
      static_cast<void>(self.close());
    });
    BOOST_TEST(waited == std::set<std::string>{}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(good_server_is_used_and_left_without_waiting) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  std::set<std::string> seen;
  const auto watch = [&](const std::function<void()>& work) {
    const watched here;
    work();
    seen.insert(here.seen.begin(), here.seen.end());
  };
  user self(io, door.address());
  watch([&] {
    self.start();
    self.wait_connected();
    self.enter(self.make_directory());
  });
  door.cut();
  watch([&] { self.wait_connected(2); });
  shared_server().expire(self.session->id());
  watch([&] {
    self.wait_connected(3);
    BOOST_TEST(self.expired == 1);
    BOOST_TEST((self.close() == error_code{}));
  });
  BOOST_TEST(seen == std::set<std::string>{}, boost::test_tools::per_element());
}

#ifdef ZKLOCK_TEST_TLS

BOOST_AUTO_TEST_CASE(handshakes_and_sessions_with_tls_wait_for_nothing) {
  testing::authority authority;
  const auto files = authority.issue({.hosts = {"127.0.0.1"}});
  testing::server server({.tls = testing::server_tls{.certificate = files.both,
                                                     .authorities = authority.certificate()}});
  asio::io_context io{1};
  const watched here;
  user self(io, server.secure_address(), 2s);
  self.options.tls = std::make_shared<zookeeper::rotating_tls>(zklock::tls_options{
      .authorities = {.file = authority.certificate()}, .certificate = {.file = files.both}});
  self.start();
  for (int times = 1; times <= 3; ++times) {
    self.wait_connected(times);
    self.enter(self.make_directory());
    server.secure_clients().cut();
    self.wait_disconnected(times);
  }
  // Handshakes without an answer.
  self.wait_connected(4);
  server.secure_clients().silence();
  self.wait_disconnected(4);
  self.wait("given up", [&] { return self.logged(": no answer"); });
  server.heal();
  self.wait_connected(5);
  BOOST_TEST(here.seen == std::set<std::string>{}, boost::test_tools::per_element());
}

#endif

BOOST_AUTO_TEST_SUITE_END()
