#include "chaos/client/storage_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace chaos {
namespace {

asio::awaitable<void> ask(scene& here, const std::string& line, std::string& reply) {
  asio::local::stream_protocol::socket socket(here.io);
  const asio::local::stream_protocol::endpoint storage((here.folder / "storage").string());
  co_await socket.async_connect(storage, asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(line), asio::use_awaitable);
  reply.clear();
  auto buffer = asio::dynamic_buffer(reply);
  co_await asio::async_read_until(socket, buffer, '\n', asio::use_awaitable);
  reply.pop_back();
}

std::string head(const char* what, const std::string& set, zklock::fencing_token token) {
  return std::string(what) + ' ' + set + ' ' + std::to_string(token.transaction()) + ' ' +
         std::to_string(token.turn());
}

} // namespace

asio::awaitable<void> read_set(scene& here, const std::string& set, zklock::fencing_token token,
                               std::string& reply) {
  const auto line = head("read", set, token) + '\n';
  co_await ask(here, line, reply);
}

asio::awaitable<void> write_set(scene& here, const std::string& set, zklock::fencing_token token,
                                const std::string& elements, std::string& reply) {
  const auto line = head("write", set, token) + ' ' + elements + '\n';
  co_await ask(here, line, reply);
}

} // namespace chaos
