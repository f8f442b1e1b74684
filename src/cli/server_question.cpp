#include "cli/server_question.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto as_reply = asio::as_tuple(asio::use_awaitable);

/// The connection of a question, which a timer ends.
struct conversation {
  explicit conversation(const asio::any_io_executor& executor)
      : resolver(executor), socket(executor) {}

  void end() {
    late = true;
    resolver.cancel();
    error_code ignored;
    socket.close(ignored);
  }

  tcp::resolver resolver;
  tcp::socket socket;
  bool late = false;
};

struct host_and_port {
  std::string host;
  std::string port;
};

host_and_port split_address(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == address.npos) return {address, "2181"};
  auto host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {std::move(host), address.substr(colon + 1)};
}

// The caller keeps the referenced arguments alive until it has the answer.
asio::awaitable<error_code> converse(conversation& with, const std::string& address,
                                     std::string_view word, std::string& answer) {
  const auto to = split_address(address);
  const auto resolved = co_await with.resolver.async_resolve(to.host, to.port, as_reply);
  if (std::get<0>(resolved)) co_return std::get<0>(resolved);
  const auto connected = co_await asio::async_connect(with.socket, std::get<1>(resolved), as_reply);
  if (std::get<0>(connected)) co_return std::get<0>(connected);
  const auto sent = co_await asio::async_write(with.socket, asio::buffer(word), as_reply);
  if (std::get<0>(sent)) co_return std::get<0>(sent);
  // The server closes the connection behind its answer.
  const auto ended =
      co_await asio::async_read(with.socket, asio::dynamic_buffer(answer, 65536), as_reply);
  co_return std::get<0>(ended) == asio::error::eof ? error_code() : std::get<0>(ended);
}

asio::awaitable<error_code> ask(const std::string& address, std::string_view word,
                                std::chrono::milliseconds limit, std::string& answer) {
  const auto executor = co_await asio::this_coro::executor;
  const auto with = std::make_shared<conversation>(executor);
  asio::steady_timer timer(executor, limit);
  timer.async_wait([with](error_code stopped) {
    if (!stopped) with->end();
  });
  const auto result = co_await converse(*with, address, word, answer);
  co_return with->late ? error_code(asio::error::timed_out) : result;
}

// Returns the rest of the line that begins with `name`.
std::string_view field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (line.starts_with(name)) {
      line.remove_prefix(name.size());
      return line.substr(0, line.find_last_not_of("\r ") + 1);
    }
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

void read_srvr(std::string_view text, server_answer& into) {
  const auto version = field(text, "Zookeeper version: ");
  into.version = version.substr(0, version.find_first_of("-,"));
  into.mode = field(text, "Mode: ");
  if (!into.mode.empty()) return;
  into.refuses = text.find("whitelist") != text.npos;
  if (into.refuses)
    into.problem = "srvr is not allowed by 4lw.commands.whitelist";
  else
    into.problem = text.starts_with("This ZooKeeper instance is not currently serving requests")
                       ? "does not serve: it has no quorum"
                       : "does not answer srvr as ZooKeeper does";
}

void read_conf(std::string_view text, server_answer& into) {
  const auto tick = field(text, "tickTime=");
  int count = 0;
  const auto parsed = std::from_chars(tick.data(), tick.data() + tick.size(), count);
  if (parsed.ec == std::errc() && count > 0) into.tick = std::chrono::milliseconds(count);
}

} // namespace

server_addresses split_servers(const std::string& servers) {
  server_addresses result;
  const auto slash = servers.find('/');
  if (slash != servers.npos) result.chroot = servers.substr(slash);
  for (std::string_view rest(servers.data(), slash == servers.npos ? servers.size() : slash);;) {
    const auto comma = rest.find(',');
    result.addresses.emplace_back(rest.substr(0, comma));
    if (comma == rest.npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

asio::awaitable<void> ask_server(server_answer& server, std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  const auto error = co_await ask(server.address, "srvr", limit, text);
  if (error) {
    server.problem = error.message();
    co_return;
  }
  server.time = std::chrono::steady_clock::now() - start;
  read_srvr(text, server);
}

asio::awaitable<void> ask_tick(server_answer& server, std::chrono::milliseconds limit) {
  std::string settings;
  const auto refused = co_await ask(server.address, "conf", limit, settings);
  if (!refused) read_conf(settings, server);
}

} // namespace zklock::cli
