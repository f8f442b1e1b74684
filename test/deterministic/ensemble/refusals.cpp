#include "refusals.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace deterministic::servers {

namespace {

using memory::code;

// Each ends a connection, or is treated by the client in another way than the rest.
constexpr std::array special{-1, -4, -6, -102, -108, -110, -112, -115, -118, -119, -124, -127};
// The errors of ZooKeeper are above.
constexpr std::size_t lowest = 140;

bool removes(const memory::write_request& what) {
  if (const auto* const multi = std::get_if<memory::multi_request>(&what))
    return std::ranges::any_of(multi->parts, [](const auto& each) {
      return std::holds_alternative<memory::remove_request>(each);
    });
  return std::holds_alternative<memory::remove_request>(what);
}

// A server that lies about a node is believed, and must be: that a node does not exist,
// or that the client may not delete it, or may not list its directory.
bool is_lie(code error, const memory::request& request) {
  if (error == code::no_node) return true;
  if (error != code::no_auth) return false;
  const auto* const written = std::get_if<memory::write_request>(&request.body);
  if (written != nullptr) return removes(*written);
  const auto* const read = std::get_if<memory::read_request>(&request.body);
  return read != nullptr && std::holds_alternative<memory::get_children_request>(*read);
}

bool lists_own(const memory::request& request) {
  const auto* const read = std::get_if<memory::read_request>(&request.body);
  return read != nullptr && std::holds_alternative<memory::get_ephemerals_request>(*read);
}

// Servers throttle neither pings nor the end of a session.
bool is_throttled(const memory::request& request) {
  const auto* const written = std::get_if<memory::write_request>(&request.body);
  const auto* const local = std::get_if<memory::local_request>(&request.body);
  if (written && std::holds_alternative<memory::close_session_request>(*written)) return false;
  return !local || !std::holds_alternative<memory::ping_request>(*local);
}

} // namespace

code any_error(simulation::dice& dice) {
  if (dice.chance(50)) return static_cast<code>(special[dice.below(std::size(special))]);
  return static_cast<code>(-static_cast<int>(dice.between(1, lowest)));
}

code refusals::draw(const memory::request& request, simulation::dice& dice) {
  if (what_.percent == 0 || what_.most == 0) return code::ok;
  if (what_.error == code::throttled && !is_throttled(request)) return code::ok;
  if (!dice.chance(what_.percent)) return code::ok;
  const auto error = what_.error == code::ok ? any_error(dice) : what_.error;
  if (is_lie(error, request)) return code::ok;
  if (error == code::unimplemented && what_.lists_own && lists_own(request)) return code::ok;
  --what_.most;
  return error;
}

bool shows_server(code error) noexcept {
  return error == code::unimplemented || error == code::auth_failed ||
         error == code::session_closed;
}

bool is_of_session(code error) noexcept {
  return shows_server(error) || error == code::session_expired || error == code::session_moved ||
         error == code::not_read_only;
}

bool only_checks(const memory::request& request) noexcept {
  const auto* const written = std::get_if<memory::write_request>(&request.body);
  const auto* const multi = written ? std::get_if<memory::multi_request>(written) : nullptr;
  return multi && !multi->parts.empty() && std::ranges::all_of(multi->parts, [](const auto& each) {
           return std::holds_alternative<memory::check_request>(each);
         });
}

bool is_empty(const memory::request& request) noexcept {
  const auto* const written = std::get_if<memory::write_request>(&request.body);
  const auto* const multi = written ? std::get_if<memory::multi_request>(written) : nullptr;
  return multi && multi->parts.empty();
}

// A server throttles before the leader sees the parts.
std::size_t failing_parts(const memory::request& request, code error) {
  const auto* const written = std::get_if<memory::write_request>(&request.body);
  const auto* const multi = written ? std::get_if<memory::multi_request>(written) : nullptr;
  return multi && error != code::throttled ? multi->parts.size() : 0;
}

} // namespace deterministic::servers
