#include "testing/memory_connection.hpp"

#include "testing/memory_listener.hpp"
#include "testing/system_call.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <utility>

namespace zklock::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

memory_connection::memory_connection(memory_listener& owner, tcp::socket client,
                                     memory::connection_id number)
    : owner_(&owner), client_(std::move(client)), number_(number) {
  close_on_exec(client_.native_handle());
  error_code ignored;
  client_.set_option(tcp::no_delay(true), ignored);
  client_.non_blocking(true, ignored);
}

void memory_connection::read() {
  client_.async_read_some(asio::buffer(in_),
                          [this, keep = shared_from_this()](error_code ec, std::size_t size) {
                            if (!owner_) return;
                            if (ec) return owner_->closed(number_);
                            owner_->received(number_, {in_.data(), size});
                            if (owner_) read();
                          });
}

void memory_connection::send(std::string bytes) {
  unsent_ += bytes;
  if (!waiting_) write();
}

void memory_connection::write() {
  error_code ec;
  unsent_.erase(0, client_.write_some(asio::buffer(unsent_), ec));
  // After another error the read fails too.
  if (unsent_.empty() || (ec && ec != asio::error::would_block)) return;
  waiting_ = true;
  client_.async_wait(tcp::socket::wait_write, [this, keep = shared_from_this()](error_code failed) {
    waiting_ = false;
    if (!failed) write();
  });
}

void memory_connection::close() {
  owner_ = nullptr;
  error_code ignored;
  client_.close(ignored);
}

} // namespace zklock::testing
