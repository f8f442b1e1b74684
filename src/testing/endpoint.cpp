#include "testing/endpoint.hpp"

#include <zklock/testing/error.hpp>

#include <boost/asio/ip/address.hpp>

#include <charconv>
#include <cstdint>

namespace zklock::testing {

boost::asio::ip::tcp::endpoint parse_endpoint(const std::string& text) {
  auto bad = [&] {
    return error("invalid address \"" + text + "\": must be a numeric address and a port");
  };
  auto colon = text.rfind(':');
  if (colon == std::string::npos) throw bad();
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  boost::system::error_code ec;
  auto address = boost::asio::ip::make_address(host, ec);
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, port);
  if (ec || problem != std::errc() || stop != end || port == 0) throw bad();
  return {address, port};
}

} // namespace zklock::testing
