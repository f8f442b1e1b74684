// Connection strings.
#include <zklock/error.hpp>

#include "client/lock_definition.hpp"
#include "fuzz.hpp"
#include "zookeeper/server_list.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>

#include <string>

using namespace zklock;
using fuzz::require;

namespace {

std::string written(const zookeeper::server_list& list) {
  std::string text;
  for (const auto& [host, port] : list.servers) {
    if (!text.empty()) text += ',';
    const bool is_address = host.find(':') != host.npos;
    text += (is_address ? '[' + host + ']' : host) + ':' + std::to_string(port);
  }
  return text + list.chroot;
}

/// Whether a text begins with a server, before a slash or a comma.
bool is_server(const std::string& text) {
  try {
    return !zookeeper::parse_server_list(text.substr(0, text.find_first_of("/,"))).servers.empty();
  } catch (const boost::system::system_error&) {
    return false;
  }
}

void check_accepted(const zookeeper::server_list& list) {
  require(!list.servers.empty(), "there is no server");
  for (const auto& [host, port] : list.servers) {
    require(!host.empty() && port != 0, "a server has no host or no port");
    require(!fuzz::has_control(host), "a host has a control character");
    require(host.find_first_of(" []/,") == host.npos, "a host has a character of the syntax");
  }
  require(list.chroot.empty() || detail::is_node_path(list.chroot), "the chroot is no path");
  require(list.chroot != "/", "the root is no chroot");
  for (auto comma = list.chroot.find(','); comma != list.chroot.npos;
       comma = list.chroot.find(',', comma + 1))
    require(!is_server(list.chroot.substr(comma + 1)), "the chroot has a server in it");
  const auto again = zookeeper::parse_server_list(written(list));
  require(written(again) == written(list), "a list does not come back as it went");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check_accepted(zookeeper::parse_server_list(text));
  } catch (const boost::system::system_error& refused) {
    const std::string_view why(refused.what());
    require(refused.code() == errc::bad_servers, "a list is refused with another code");
    require(why.starts_with("invalid servers \""), "a refusal does not name the list");
    require(!fuzz::has_control(why), "a refusal has a control character");
    require(why.size() < 1000, "a refusal is as long as the list");
  }
  return 0;
}
