#include "testing/loopback_listener.hpp"

#include <zklock/testing/error.hpp>

#include "testing/system_call.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace zklock::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

loopback_listener::loopback_listener(asio::io_context& context, std::uint16_t port,
                                     accept_handler on_accepted)
    : reservation_(port),
      acceptor_(context),
      retry_(context),
      on_accepted_(std::move(on_accepted)) {}

void loopback_listener::open(std::shared_ptr<void> owner) {
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
  accept(std::move(owner));
}

void loopback_listener::close() {
  ++closings_;
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
}

void loopback_listener::accept(std::shared_ptr<void> owner) {
  // The handler of a connection that was accepted before `close` may run after the next `open`.
  const auto is_over = [this, before = closings_] { return closings_ != before; };
  acceptor_.async_accept(
      [this, is_over, owner = std::move(owner)](error_code ec, tcp::socket client) {
        if (is_over()) return;
        if (!ec) {
          on_accepted_(std::move(client));
          return accept(owner);
        }
        // Most likely no descriptor is free: the connection stays in the kernel's queue.
        retry_.expires_after(std::chrono::milliseconds(20));
        retry_.async_wait([this, is_over, owner](error_code) {
          if (!is_over()) accept(owner);
        });
      });
}

} // namespace zklock::testing
