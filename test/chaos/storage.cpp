#include "chaos/storage.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <sstream>

namespace chaos {

namespace asio = boost::asio;

namespace {
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
} // namespace

storage::storage(const std::filesystem::path& socket)
    : acceptor_(io_, protocol::endpoint(socket.string())) {
  asio::co_spawn(io_, accept(), asio::detached);
  thread_ = std::thread([this] { io_.run(); });
}

storage::~storage() {
  stop();
}

void storage::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

asio::awaitable<void> storage::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(as_result);
    if (error) co_return;
    asio::co_spawn(io_, serve(std::move(socket)), asio::detached);
  }
}

asio::awaitable<void> storage::serve(protocol::socket socket) {
  std::string text;
  auto buffer = asio::dynamic_buffer(text);
  // A process that is killed leaves half a line: nothing is done then.
  auto [error, size] = co_await asio::async_read_until(socket, buffer, '\n', as_result);
  if (error) co_return;
  text.resize(size - 1);
  std::string reply;
  answer(text, reply);
  reply += '\n';
  co_await asio::async_write(socket, asio::buffer(reply), as_result);
}

void storage::answer(const std::string& line, std::string& reply) {
  std::istringstream words(line);
  std::string what;
  std::string set;
  std::int64_t transaction = 0;
  std::uint32_t turn = 0;
  words >> what >> set >> transaction >> turn;
  auto& found = entries_[set];
  const zklock::fencing_token token(transaction, turn);
  if (transaction >= 0) {
    if (token < found.highest) {
      reply = "refused";
      return;
    }
    found.highest = token;
  }
  reply = "ok";
  if (what == "read")
    reply += ' ' + found.elements;
  else
    std::getline(words >> std::ws, found.elements);
}

std::map<std::string, std::set<std::string>> storage::sets(const std::string& prefix) const {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& [name, found] : entries_) {
    if (!name.starts_with(prefix)) continue;
    auto& elements = all[name];
    std::istringstream words(found.elements);
    for (std::string each; words >> each;)
      elements.insert(each);
  }
  return all;
}

} // namespace chaos
