#pragma once

#include <zklock/fencing_token.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace chaos {

/// A storage of sets that checks fencing tokens, behind a local socket. It remembers the highest
/// token that each set has seen, in reads and in writes, and refuses lower tokens. Transaction -1
/// stands for no token: such a request is not checked. A connection has one request, a line:
///
///     read SET TRANSACTION TURN                 ok ELEMENT... | refused
///     write SET TRANSACTION TURN ELEMENT...     ok | refused
class storage {
 public:
  explicit storage(const std::filesystem::path& socket);
  ~storage();

  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  /// Ends the service.
  void stop();

  /// Returns the sets whose names begin so. Call `stop` before.
  std::map<std::string, std::set<std::string>> sets(const std::string& prefix) const;

 private:
  struct entry {
    zklock::fencing_token highest{};
    std::string elements;
  };

  using protocol = boost::asio::local::stream_protocol;

  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<void> serve(protocol::socket socket);
  void answer(const std::string& line, std::string& reply);

  boost::asio::io_context io_{1};
  protocol::acceptor acceptor_;
  std::map<std::string, entry> entries_;
  std::thread thread_;
};

} // namespace chaos
