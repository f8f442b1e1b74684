#pragma once

#include <zklock/testing/operation.hpp>

#include "support/jute_writer.hpp"
#include "support/listener.hpp"

#include <chrono>
#include <memory>

namespace zklock::test {

using detail::jute_writer;

constexpr std::int64_t scripted_session = 0x1234567;

/// The answer to a handshake.
inline std::string handshake(std::int32_t timeout = 6000, std::int64_t session = scripted_session,
                             bool read_only = false) {
  jute_writer out;
  out.put_int(0);
  out.put_int(timeout);
  out.put_long(session);
  out.put_string(std::string(16, 'p'));
  out.put_bool(read_only);
  return out.framed();
}

/// For `session_options::refuse_timeout`.
inline std::string too_short(std::chrono::milliseconds timeout) {
  return timeout.count() <= 100 ? "it is not longer than 100 ms" : "";
}

/// The four bytes of an integer, for example of the length of a frame.
inline std::string encoded(std::int32_t value) {
  jute_writer out;
  out.put_int(value);
  return out.bytes();
}

/// A reply to a request, whether or not the request was made.
inline std::string reply_frame(std::int32_t number, std::string_view body = {},
                               std::int32_t error = 0, std::int64_t zxid = 1) {
  jute_writer out;
  out.put_int(number);
  out.put_long(zxid);
  out.put_int(error);
  out.put_raw(body);
  return out.framed();
}

/// The number of a request, or of a reply.
inline std::int32_t number_of(std::string_view frame) {
  return int_at(frame, 0);
}

/// The operation that a request names.
inline testing::operation kind_of(std::string_view frame) {
  return static_cast<testing::operation>(int_at(frame, 4));
}

/// A server that speaks ZooKeeper's frames and answers each as a test's script says.
class scripted_server : public listener {
 public:
  /// Returns the answer to a frame, which comes without its length: the `index`-th of its
  /// connection, where 0 is the handshake. Where it returns nothing, the connection is closed; so
  /// it is after the answer to a request to end the session.
  using script = std::function<std::optional<std::string>(int index, std::string_view frame)>;

  /// All connections share the script, which may count.
  scripted_server(asio::io_context& io, script answers)
      : scripted_server(io, [all = std::make_shared<script>(std::move(answers))] {
          return script([all](int index, std::string_view frame) { return (*all)(index, frame); });
        }) {}

  /// Calls `begin` for the script of each connection.
  scripted_server(asio::io_context& io, std::function<script()> begin)
      : listener(io, [begin = std::move(begin)](tcp::socket socket, int) {
          return talk(std::move(socket), begin());
        }) {}

 private:
  static asio::awaitable<void> talk(tcp::socket socket, script answers) {
    for (int index = 0;; ++index) {
      const auto frame = co_await read_frame(socket);
      if (!frame) break;
      const auto answer = answers(index, *frame);
      if (!answer) break;
      co_await write_all(socket, *answer);
      if (index != 0 && kind_of(*frame) == testing::operation::close_session) break;
    }
  }
};

} // namespace zklock::test
