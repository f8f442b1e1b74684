#include "testing/server_questions.hpp"

#include <zklock/testing/frame.hpp>

#include "testing/blocking_socket.hpp"
#include "testing/jute.hpp"
#include "testing/wire_session.hpp"

#include <algorithm>
#include <sstream>

namespace zklock::testing {

std::string ask(const std::string& address, std::string_view word, deadline until) {
  blocking_socket socket(address, until);
  socket.write(word, until);
  return socket.read_all(until);
}

std::string ask_mode(const std::string& address, deadline until) {
  std::istringstream lines(ask(address, "srvr", until));
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

bool end_session(const std::string& address, std::int64_t session_id, deadline until) {
  constexpr std::int32_t closing_xid = 1;
  constexpr std::chrono::milliseconds patience{2000};
  std::string both =
      connect_frame(session_id, std::chrono::seconds(30)) +
      request_frame(closing_xid, static_cast<std::int32_t>(operation::close_session), {});
  for (bool tried = false;; tried = true) {
    wire_session wire(address, until);
    // When the client comes back in the wrong moment, the server may never answer this connection.
    deadline soon(std::min(until.left(), patience));
    try {
      // In one piece: resuming the session makes the server close its client's connection, and the
      // client may resume it in turn before a second piece arrives.
      wire.send(both, soon);
      // A session that does not exist is answered at once; so if an attempt was not, it existed.
      if (wire.receive_welcome(soon).timeout.count() <= 0) return tried;
      while (jute_reader(wire.receive(soon)).take_int() != closing_xid) {}
      return true;
    } catch (const error&) {
      // The client has resumed the session meanwhile; perhaps it was ended before, perhaps not.
      if (until.over()) throw;
    }
  }
}

} // namespace zklock::testing
