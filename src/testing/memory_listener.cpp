#include "testing/memory_listener.hpp"

#include "testing/memory_connection.hpp"

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

/// Returns an id that depends on the time, as in ZooKeeper: a later server on this port has
/// different sessions.
std::int64_t first_session_id() {
  constexpr std::uint64_t server = 1;
  const auto time = static_cast<std::uint64_t>(milliseconds_of<std::chrono::system_clock>());
  return static_cast<std::int64_t>(server << 56 | time << 24 >> 8);
}

} // namespace

memory_listener::memory_listener(asio::io_context& context, const memory::session_limits& limits,
                                 memory::milliseconds container_check_interval, std::uint16_t port)
    : listener_(context, port, [this](tcp::socket client) { add(std::move(client)); }),
      timer_(context),
      core_(limits, container_check_interval, first_session_id(), *this) {}

memory_listener::~memory_listener() = default;

void memory_listener::open() {
  if (is_open()) return;
  listener_.open(shared_from_this());
  core_.restart(now());
  wait();
}

void memory_listener::shut() {
  listener_.close();
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
  // A request rarely changes the time of the next timer.
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
