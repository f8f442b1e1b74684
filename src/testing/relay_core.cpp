#include "testing/relay_core.hpp"

#include <zklock/testing/error.hpp>

#include "testing/relay_connection.hpp"
#include "testing/system_call.hpp"

namespace zklock::testing {

namespace asio = boost::asio;
using asio::ip::tcp;

relay_core::relay_core(asio::io_context& context, tcp::endpoint target, relay_options options,
                       link_options link)
    : target_(std::move(target)),
      frames_(options.frames),
      link_(std::move(link)),
      reservation_(options.port),
      acceptor_(context),
      retry_(context) {}

relay_core::~relay_core() = default;

void relay_core::open() {
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
  accept();
}

void relay_core::accept() {
  acceptor_.async_accept([self = shared_from_this()](boost::system::error_code ec,
                                                     tcp::socket client) {
    if (!self->acceptor_.is_open()) return;
    if (ec) {
      // Most likely no descriptor is free: the connection stays in the kernel's queue.
      self->retry_.expires_after(std::chrono::milliseconds(20));
      self->retry_.async_wait([self](boost::system::error_code) {
        if (self->acceptor_.is_open()) self->accept();
      });
      return;
    }
    auto one = std::make_shared<relay_connection>(*self, std::move(client), ++self->last_number_);
    self->connections_.insert(one);
    self->counts_.connection_opened();
    one->start();
    self->accept();
  });
}

void relay_core::shut() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
  cut();
}

void relay_core::cut() {
  auto all = connections_;
  for (const auto& one : all)
    one->close(true);
}

void relay_core::silence(direction way) {
  silent_[index(way)] = true;
}

void relay_core::heal() {
  silent_ = {};
  delay_ = {};
  open();
  auto all = connections_;
  for (const auto& one : all)
    one->heal();
}

relay_core::decision relay_core::decide(const frame& one) {
  decision result;
  for (const auto& each : hooks_) {
    if (each->way != one.way || !each->which(one) || !each->select()) continue;
    result.hooks.push_back(each);
    if (each->what == reaction::observe) continue;
    result.what = each->what;
    break;
  }
  for (const auto& used : result.hooks)
    std::erase(hooks_, used);
  return result;
}

void relay_core::closed(const std::shared_ptr<relay_connection>& one) {
  if (connections_.erase(one) != 0) counts_.connection_closed();
}

} // namespace zklock::testing
