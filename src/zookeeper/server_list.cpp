#include "zookeeper/server_list.hpp"

#include <zklock/error.hpp>

#include "support/text_character.hpp"
#include "zookeeper/path_check.hpp"

#include <boost/asio/ip/address_v6.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace zklock::zookeeper {

namespace {

constexpr std::string_view blanks = " \t";

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  server_list run() {
    server_list found;
    const auto end_of_hosts = std::min(text_.find('/'), text_.size());
    auto rest = text_.substr(0, end_of_hosts);
    for (;;) {
      const auto comma = std::min(rest.find(','), rest.size());
      found.servers.push_back(server(trimmed(rest.substr(0, comma))));
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
    found.chroot = chroot(trimmed(text_.substr(end_of_hosts)));
    return found;
  }

  server_list run(const std::string& chroot) {
    auto found = run();
    const auto shown = [](const std::string& path) { return quoted(path.empty() ? "/" : path); };
    if (found.chroot != chroot)
      refuse("the chroot must stay " + shown(chroot) + ", not become " + shown(found.chroot));
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw boost::system::system_error(errc::bad_servers,
                                      "invalid servers " + quoted(text_) + ": " + why);
  }

  static std::string quoted(std::string_view part) { return '"' + detail::excerpt(part) + '"'; }

  static std::string_view trimmed(std::string_view part) {
    const auto first = part.find_first_not_of(blanks);
    if (first == part.npos) return {};
    return part.substr(first, part.find_last_not_of(blanks) - first + 1);
  }

  server_address server(std::string_view part) const {
    if (part.empty()) refuse("a server must be host:port, not empty");
    const auto colon = part.rfind(':');
    if (colon == part.npos || part.ends_with(']')) refuse(quoted(part) + " must have a port");
    return {host(part, part.substr(0, colon)), port(part, part.substr(colon + 1))};
  }

  std::string host(std::string_view server, std::string_view name) const {
    // A name would be cut at a zero, and could forge lines of the log.
    const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; };
    if (std::any_of(name.begin(), name.end(), is_control))
      refuse("the host " + quoted(name) + " must not have a control character");
    if (name.starts_with('[') && name.ends_with(']')) {
      std::string address(name.substr(1, name.size() - 2));
      boost::system::error_code error;
      boost::asio::ip::make_address_v6(address, error);
      if (error) refuse(quoted(address) + " in brackets must be an IPv6 address");
      return address;
    }
    if (name.empty()) refuse(quoted(server) + " must have a host");
    if (name.find(':') != name.npos)
      refuse(quoted(server) + " must have its IPv6 address in brackets: [::1]:2181");
    if (name.find_first_of("[] \t") != name.npos)
      refuse("the host " + quoted(name) + " must not have brackets or blanks");
    return std::string(name);
  }

  std::uint16_t port(std::string_view server, std::string_view digits) const {
    std::uint16_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end || value == 0)
      refuse(quoted(server) + " must end with a port from 1 to 65535");
    return value;
  }

  // Kafka's users know lists with a chroot behind each server. As a path it would be another root,
  // in which other clients do not see the locks.
  static bool names_server(std::string_view path) {
    for (auto comma = path.find(','); comma != path.npos; comma = path.find(',', comma + 1)) {
      const auto rest = path.substr(comma + 1);
      const auto name = trimmed(rest.substr(0, rest.find_first_of("/,")));
      const auto colon = name.rfind(':');
      if (colon == name.npos || colon + 1 == name.size()) continue;
      if (name.find_first_not_of("0123456789", colon + 1) == name.npos) return true;
    }
    return false;
  }

  std::string chroot(std::string_view path) const {
    if (path.empty() || path == "/") return {};
    if (names_server(path))
      refuse("the chroot stands once, behind the last server, not " + quoted(path));
    if (const char* fault = fault_of_path(path)) refuse("the chroot " + quoted(path) + " " + fault);
    return std::string(path);
  }

  std::string_view text_;
};

} // namespace

server_list parse_server_list(std::string_view text) {
  return parser{text}.run();
}

std::vector<server_address> parse_server_list(std::string_view text, const std::string& chroot) {
  return parser{text}.run(chroot).servers;
}

} // namespace zklock::zookeeper
