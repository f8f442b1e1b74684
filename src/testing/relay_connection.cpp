#include "testing/relay_connection.hpp"

#include "testing/system_call.hpp"

#include <poll.h>

namespace zklock::testing {

using boost::asio::ip::tcp;
using boost::system::error_code;

relay_connection::relay_connection(relay_core& core, tcp::socket client, std::uint64_t number)
    : core_(core.shared_from_this()),
      number_(number),
      client_(std::move(client)),
      server_(client_.get_executor()),
      retry_(client_.get_executor()),
      connect_deadline_(relay_core::clock::now() + core.link().connect_limit),
      to_server_(*this, direction::to_server, client_, server_, outstanding_),
      to_client_(*this, direction::to_client, server_, client_, outstanding_),
      accepted_in_silence_(core.is_silent(direction::to_server)) {
  close_on_exec(client_.native_handle());
}

void relay_connection::connect() {
  error_code opened;
  server_.open(core_->target().protocol(), opened);
  if (opened) return close(true);
  close_on_exec(server_.native_handle());
  server_.async_connect(core_->target(), [this, keep = shared_from_this()](error_code ec) {
    if (closed_) return;
    if (!ec) return on_connected();
    if (relay_core::clock::now() >= connect_deadline_ || client_has_closed()) return close(true);
    error_code ignored;
    server_.close(ignored);
    retry_.expires_after(std::chrono::milliseconds(10));
    retry_.async_wait([this, keep](error_code) {
      if (!closed_) connect();
    });
  });
}

void relay_connection::on_connected() {
  error_code ignored;
  client_.set_option(tcp::no_delay(true), ignored);
  server_.set_option(tcp::no_delay(true), ignored);
  connected_ = true;
  to_server_.go();
  to_client_.go();
}

void relay_connection::close(bool reset) {
  if (closed_) return;
  closed_ = true;
  retry_.cancel();
  to_server_.stop();
  to_client_.stop();
  error_code ignored;
  if (reset) client_.set_option(tcp::socket::linger(true, 0), ignored);
  client_.close(ignored);
  // Without a reset: the bytes that were forwarded before must reach the server.
  server_.close(ignored);
  core_->closed(shared_from_this());
}

void relay_connection::heal() {
  silent_ = false;
  // Through a broken cable no connection is possible, but here the kernel has accepted it. If the
  // client has closed it meanwhile, the server must not see it.
  if (accepted_in_silence_ && client_has_closed()) return close(true);
  accepted_in_silence_ = false;
  if (!connected_) return;
  to_server_.go();
  to_client_.go();
}

void relay_connection::set_raw() {
  to_server_.set_raw();
  to_client_.set_raw();
}

void relay_connection::close_if_finished() {
  if (to_server_.finished() && to_client_.finished()) close(false);
}

bool relay_connection::client_has_closed() {
  pollfd one{client_.native_handle(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

} // namespace zklock::testing
