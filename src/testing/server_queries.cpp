#include "testing/server_queries.hpp"

#include <zklock/testing/operation.hpp>

#include "testing/blocking_socket.hpp"
#include "testing/checked_reader.hpp"
#include "testing/wire_session.hpp"

#include <algorithm>
#include <sstream>

namespace zklock::testing {

std::string query(const std::string& address, std::string_view word, deadline until) {
  blocking_socket socket(address, until);
  socket.write(word, until);
  return socket.read_all(until);
}

std::string query_mode(const std::string& address, deadline until) {
  std::istringstream lines(query(address, "srvr", until));
  constexpr std::string_view label = "Mode: ";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(label)) return line.substr(label.size());
  return {};
}

std::map<std::string, std::string> parse_counters(const std::string& answer) {
  std::map<std::string, std::string> counters;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);)
    if (auto tab = line.find('\t'); tab != std::string::npos)
      counters[line.substr(0, tab)] = line.substr(tab + 1);
  return counters;
}

bool close_session(const std::string& address, std::int64_t session_id, deadline until) {
  constexpr std::int32_t closing_xid = 1;
  constexpr std::chrono::milliseconds attempt_limit{2000};
  std::string both =
      connect_frame(session_id, std::chrono::seconds(30)) +
      request_frame(closing_xid, static_cast<std::int32_t>(operation::close_session), {});
  for (bool tried = false;; tried = true) {
    wire_session wire(address, until);
    // If the client resumes the session meanwhile, the server may never reply here.
    deadline soon(std::min(until.left(), attempt_limit));
    try {
      // Sent in a single piece: resuming the session closes its client's connection. The client may
      // resume the session before a second piece arrives.
      wire.send(both, soon);
      // The server replies at once if the session does not exist. So a failed attempt shows that it
      // existed.
      if (wire.receive_connect_response(soon).timeout.count() <= 0) return tried;
      while (checked_reader(wire.receive(soon)).take_int() != closing_xid) {}
      return true;
    } catch (const error&) {
      // The client has resumed the session meanwhile. Whether it was closed before is unknown.
      if (until.over()) throw;
    }
  }
}

} // namespace zklock::testing
