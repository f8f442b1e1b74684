#include "testing/memory_listener.hpp"

#include <zklock/testing/error.hpp>

#include "testing/memory_connection.hpp"
#include "testing/system_call.hpp"

#include <chrono>
#include <utility>

namespace zklock::testing {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

template <typename Clock>
memory::milliseconds milliseconds_of() {
  const auto since = Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

memory::instant now() {
  return {milliseconds_of<std::chrono::steady_clock>(),
          milliseconds_of<std::chrono::system_clock>()};
}

/// Like ZooKeeper's: another server on the same port has other sessions.
std::int64_t first_session_id() {
  constexpr std::uint64_t server = 1;
  const auto time = static_cast<std::uint64_t>(milliseconds_of<std::chrono::system_clock>());
  return static_cast<std::int64_t>(server << 56 | time << 24 >> 8);
}

} // namespace

memory_listener::memory_listener(asio::io_context& context, const memory::session_limits& limits,
                                 memory::milliseconds container_check_interval, std::uint16_t port)
    : reservation_(port),
      acceptor_(context),
      retry_(context),
      timer_(context),
      core_(limits, container_check_interval, first_session_id(), *this) {}

memory_listener::~memory_listener() = default;

void memory_listener::open() {
  if (acceptor_.is_open()) return;
  try {
    acceptor_.open(tcp::v4());
    close_on_exec(acceptor_.native_handle());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind({asio::ip::address_v4::loopback(), port()});
    acceptor_.listen();
  } catch (const boost::system::system_error& e) {
    acceptor_.close();
    throw error("cannot listen on 127.0.0.1:" + std::to_string(port()) + ": " + e.code().message());
  }
  core_.restart(now());
  accept();
  wait();
}

void memory_listener::shut() {
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
  timer_.cancel();
  waiting_until_.reset();
  core_.drop_connections();
}

void memory_listener::drop_connections() {
  core_.drop_connections();
}

bool memory_listener::expire(std::int64_t session) {
  return core_.expire(session, now());
}

void memory_listener::accept() {
  acceptor_.async_accept([this, keep = shared_from_this()](error_code ec, tcp::socket client) {
    if (!is_open()) return;
    if (!ec) {
      add(std::move(client));
      return accept();
    }
    // Most likely no descriptor is free: the connection stays in the kernel's queue.
    retry_.expires_after(std::chrono::milliseconds(20));
    retry_.async_wait([this, keep](error_code) {
      if (is_open()) accept();
    });
  });
}

void memory_listener::add(tcp::socket client) {
  error_code gone;
  const auto address = client.remote_endpoint(gone).address();
  if (gone) return;
  const auto number = ++last_connection_;
  auto added = std::make_shared<memory_connection>(*this, std::move(client), number);
  connections_.emplace(number, added);
  core_.open(number, address.to_string());
  added->read();
}

void memory_listener::received(memory::connection_id connection, std::string_view bytes) {
  core_.receive(connection, bytes, now());
  wait();
}

void memory_listener::closed(memory::connection_id connection) {
  core_.closed(connection);
  close(connection);
}

void memory_listener::send(memory::connection_id connection, std::string bytes) {
  connections_.at(connection)->send(std::move(bytes));
}

void memory_listener::close(memory::connection_id connection) {
  auto found = connections_.find(connection);
  const auto keep = found->second;
  connections_.erase(found);
  keep->close();
}

void memory_listener::wait() {
  const std::chrono::steady_clock::time_point due(std::chrono::milliseconds(core_.next_advance()));
  // A request rarely changes what is due next.
  if (waiting_until_ == due) return;
  waiting_until_ = due;
  timer_.expires_at(due);
  timer_.async_wait([this, keep = shared_from_this()](error_code cancelled) {
    if (cancelled || !is_open()) return;
    waiting_until_.reset();
    core_.advance(now());
    wait();
  });
}

} // namespace zklock::testing
