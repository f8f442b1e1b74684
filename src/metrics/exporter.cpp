#include <zklock/metrics/exporter.hpp>
#include <zklock/metrics/prometheus_text.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace zklock::metrics {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t most_of_a_request = 8 * 1024;
constexpr auto idle_limit = std::chrono::seconds(30);
constexpr auto end_limit = std::chrono::seconds(1);
constexpr auto pause_after_failure = std::chrono::milliseconds(100);

using request = http::request<http::empty_body>;
using response = http::response<http::string_body>;

response refusal(http::status why, unsigned version) {
  response refused(why, version);
  refused.set(http::field::content_type, "text/plain");
  refused.body() = std::string(http::obsolete_reason(why)) + '\n';
  return refused;
}

} // namespace

// Used on its strand. Its coroutines keep it alive.
class exporter::server : public std::enable_shared_from_this<server> {
 public:
  server(const asio::any_io_executor& executor, const tcp::endpoint& where, source figures)
      : strand_(asio::make_strand(executor)),
        acceptor_(strand_, where),
        figures_(std::move(figures)) {}

  unsigned short port() const { return acceptor_.local_endpoint().port(); }

  void start() { asio::co_spawn(strand_, accept(shared_from_this()), asio::detached); }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      figures_ = nullptr;
    }
    asio::dispatch(strand_, [self = shared_from_this()] {
      self->is_stopped_ = true;
      self->acceptor_.close();
      for (auto* each : self->streams_)
        each->close();
    });
  }

 private:
  // A stream that is to be closed with the exporter.
  class registration {
   public:
    registration(std::set<beast::tcp_stream*>& all, beast::tcp_stream& stream)
        : all_(all), stream_(&stream) {
      all_.insert(stream_);
    }
    ~registration() { all_.erase(stream_); }

    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;

   private:
    std::set<beast::tcp_stream*>& all_;
    beast::tcp_stream* const stream_;
  };

  static asio::awaitable<void> accept(std::shared_ptr<server> self) {
    while (!self->is_stopped_) {
      auto [error, socket] = co_await self->acceptor_.async_accept(as_result);
      if (self->is_stopped_) break;
      if (error) {
        // A failure that passes, for example when no descriptor is free.
        asio::steady_timer pause(self->strand_, pause_after_failure);
        co_await pause.async_wait(as_result);
        continue;
      }
      asio::co_spawn(self->strand_, serve(self, beast::tcp_stream(std::move(socket))),
                     asio::detached);
    }
  }

  static asio::awaitable<void> serve(std::shared_ptr<server> self, beast::tcp_stream stream) {
    const registration registered(self->streams_, stream);
    beast::flat_buffer buffer;
    while (!self->is_stopped_) {
      http::request_parser<http::empty_body> parser;
      parser.header_limit(most_of_a_request);
      stream.expires_after(idle_limit);
      const auto [failed, size] = co_await http::async_read(stream, buffer, parser, as_result);
      // Beyond a fault of HTTP nothing can be read.
      const bool is_fault =
          failed && failed.category() == http::make_error_code(http::error::bad_method).category();
      if (failed && (!is_fault || failed == http::error::end_of_stream)) co_return;
      response answer =
          is_fault ? refusal(http::status::bad_request, 11) : self->answer(parser.get());
      answer.keep_alive(!is_fault && parser.get().keep_alive());
      answer.prepare_payload();
      if (!is_fault && parser.get().method() == http::verb::head) answer.body().clear();
      const bool stays = answer.keep_alive();
      const auto [broken, written] = co_await http::async_write(stream, answer, as_result);
      if (broken) co_return;
      if (!stays) break;
    }
    co_await end(stream);
  }

  // A socket that is closed with bytes that were not read resets the connection, and the client may
  // miss the answer.
  static asio::awaitable<void> end(beast::tcp_stream& stream) {
    boost::system::error_code failed;
    stream.socket().shutdown(tcp::socket::shutdown_send, failed);
    stream.expires_after(end_limit);
    std::array<char, 1024> unread;
    while (!failed) {
      auto read = co_await stream.async_read_some(asio::buffer(unread), as_result);
      failed = std::get<0>(read);
    }
  }

  response answer(const request& asked) {
    if (asked.method() != http::verb::get && asked.method() != http::verb::head) {
      auto refused = refusal(http::status::method_not_allowed, asked.version());
      refused.set(http::field::allow, "GET, HEAD");
      return refused;
    }
    const auto target = asked.target();
    if (target.substr(0, target.find('?')) != "/metrics")
      return refusal(http::status::not_found, asked.version());
    const std::lock_guard lock(mutex_);
    if (!figures_) return refusal(http::status::service_unavailable, asked.version());
    response text(http::status::ok, asked.version());
    text.set(http::field::content_type, prometheus_content_type);
    try {
      text.body() = prometheus_text(figures_());
    } catch (const std::exception&) {
      return refusal(http::status::internal_server_error, asked.version());
    }
    return text;
  }

  const asio::strand<asio::any_io_executor> strand_;
  tcp::acceptor acceptor_;
  std::set<beast::tcp_stream*> streams_;
  bool is_stopped_ = false;

  std::mutex mutex_;
  source figures_;
};

exporter::exporter(const asio::any_io_executor& executor, const tcp::endpoint& where,
                   source figures)
    : server_(std::make_shared<server>(executor, where, std::move(figures))),
      port_(server_->port()) {
  server_->start();
}

exporter::~exporter() {
  server_->stop();
}

} // namespace zklock::metrics
