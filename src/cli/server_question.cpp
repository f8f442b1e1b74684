#include "cli/server_question.hpp"

#include "zookeeper/plain_transport.hpp"
#include "zookeeper/tls_context.hpp"
#include "zookeeper/tls_source.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
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
using zookeeper::tls_context;
using zookeeper::transport;

constexpr auto as_reply = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t longest_answer = 65536;

// The library ignores them around a server.
constexpr std::string_view blanks = " \t";

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

std::unique_ptr<transport> open_transport(tls_context* tls, const std::string& address) {
  if (tls) return tls->open(address, {split_address(address).host});
  return std::make_unique<zookeeper::plain_transport>();
}

/// The connection of a question, which a timer ends.
struct conversation {
  conversation(const asio::any_io_executor& executor, std::unique_ptr<transport> made)
      : resolver(executor), socket(executor), bytes(std::move(made)) {}

  void end() {
    late = true;
    resolver.cancel();
    error_code ignored;
    socket.close(ignored);
  }

  // Changes when the timer ends the conversation.
  int descriptor() { return socket.native_handle(); }

  /// Why the transport does not go on, by its fault or by errno.
  std::string problem() const {
    return bytes->fault() ? bytes->fault()->text : std::generic_category().message(errno);
  }

  asio::awaitable<error_code> wait() {
    const auto readiness =
        bytes->wants_to_write() ? tcp::socket::wait_write : tcp::socket::wait_read;
    const auto waited = co_await socket.async_wait(readiness, as_reply);
    co_return std::get<0>(waited);
  }

  tcp::resolver resolver;
  tcp::socket socket;
  const std::unique_ptr<transport> bytes;
  bool late = false;
};

// The caller keeps the referenced arguments alive until it has the answer.
asio::awaitable<std::string> exchange(conversation& with, std::string_view word,
                                      std::string& answer) {
  auto& bytes = *with.bytes;
  for (;;) {
    const auto shaken = bytes.shake_hands(with.descriptor());
    if (shaken == transport::progress::failed) co_return with.problem();
    if (shaken == transport::progress::done) break;
    if (const auto error = co_await with.wait()) co_return error.message();
  }
  if (bytes.send(with.descriptor(), word.data(), word.size(), false) < 0) co_return with.problem();
  std::array<char, 4096> piece;
  while (answer.size() < longest_answer) {
    const auto size = bytes.receive(with.descriptor(), piece);
    // The server closes the connection behind its answer.
    if (size == 0) break;
    if (size > 0)
      answer.append(piece.data(), static_cast<std::size_t>(size));
    else if (errno != EAGAIN)
      co_return with.problem();
    else if (const auto error = co_await with.wait())
      co_return error.message();
  }
  co_return std::string();
}

asio::awaitable<std::string> converse(conversation& with, const std::string& address,
                                      std::string_view word, std::string& answer) {
  const auto to = split_address(address);
  const auto resolved = co_await with.resolver.async_resolve(to.host, to.port, as_reply);
  if (const auto error = std::get<0>(resolved)) co_return error.message();
  const auto connected = co_await asio::async_connect(with.socket, std::get<1>(resolved), as_reply);
  if (const auto error = std::get<0>(connected)) co_return error.message();
  co_return co_await exchange(with, word, answer);
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
    const auto part = rest.substr(0, comma);
    const auto begin = std::min(part.find_first_not_of(blanks), part.size());
    result.addresses.emplace_back(part.substr(begin, part.find_last_not_of(blanks) + 1 - begin));
    if (comma == rest.npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

server_question::server_question(const client_options& asked, std::chrono::milliseconds limit)
    : limit_(limit) {
  if (asked.tls) tls_ = tls_context::make(*asked.tls, zookeeper::tls_source(*asked.tls).read());
}

asio::awaitable<void> server_question::ask(server_answer& server) const {
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  server.problem = co_await ask(server.address, "srvr", text);
  if (!server.problem.empty()) co_return;
  server.time = std::chrono::steady_clock::now() - start;
  read_srvr(text, server);
}

asio::awaitable<void> server_question::ask_tick(server_answer& server) const {
  std::string settings;
  const auto problem = co_await ask(server.address, "conf", settings);
  if (problem.empty()) read_conf(settings, server);
}

// Returns why there is no answer; an empty text where there is one.
asio::awaitable<std::string> server_question::ask(const std::string& address, std::string_view word,
                                                  std::string& answer) const {
  const auto executor = co_await asio::this_coro::executor;
  const auto with = std::make_shared<conversation>(executor, open_transport(tls_.get(), address));
  asio::steady_timer timer(executor, limit_);
  timer.async_wait([with](error_code stopped) {
    if (!stopped) with->end();
  });
  auto problem = co_await converse(*with, address, word, answer);
  co_return with->late ? error_code(asio::error::timed_out).message() : std::move(problem);
}

} // namespace zklock::cli
