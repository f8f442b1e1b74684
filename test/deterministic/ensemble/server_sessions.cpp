#include "server.hpp"
#include "testing/session_password.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace deterministic::servers {

using state = client_connection::state;

namespace {

bool proves(const std::string& password, session_id session) {
  const auto expected = zklock::testing::password_of(session);
  return password.size() == expected.size() &&
         std::memcmp(password.data(), expected.data(), expected.size()) == 0;
}

} // namespace

std::int64_t server::milliseconds_now() const {
  using std::chrono::milliseconds;
  return (environment_.options.epoch + std::chrono::floor<milliseconds>(environment_.on.now()))
      .count();
}

void server::begin_session(const connection& from, const memory::connect_request& request) {
  if (request.last_zxid_seen > environment_.data.last) return close(from);
  using std::chrono::milliseconds;
  const auto& options = environment_.options;
  const auto timeout = std::clamp(milliseconds(request.timeout), options.min_session_timeout,
                                  options.max_session_timeout);
  from->timeout = static_cast<std::int32_t>(timeout.count());
  from->connect = request;
  from->now = state::beginning;
  from->asked.push_back(from->reads_of);
  if (request.session_id == 0 || options.replaces_sessions) {
    // SessionTrackerImpl.initializeNextSessionId: the time, and the server in the highest byte.
    const auto time = static_cast<std::uint64_t>(milliseconds_now()) << 24 >> 8;
    from->session.id = static_cast<session_id>(
        (time + ++sessions_begun_) | static_cast<std::uint64_t>(environment_.id + 1) << 56);
    const auto number = ++environment_.last_number;
    beginning_[number] = from;
    return environment_.order.submit(
        {environment_.id, number, from->session, memory::create_session_request{from->timeout}});
  }
  from->session.id = request.session_id;
  if (const auto older = by_session_.find(request.session_id); older != by_session_.end()) {
    const auto which = older->second;
    close(which);
  }
  if (!proves(request.password, request.session_id)) return finish_begin(from, false);
  revalidating_[request.session_id] = from;
  environment_.order.revalidate(request.session_id, from->timeout);
}

void server::revalidated(session_id session, bool valid) {
  const auto found = revalidating_.find(session);
  if (found == revalidating_.end()) return;
  const auto of = found->second;
  revalidating_.erase(found);
  finish_begin(of, valid);
}

// A refused session has the id 0, and the connection ends.
void server::finish_begin(const connection& of, bool valid) {
  if (of->is_closed()) return;
  of->answered(environment_.on.now());
  of->replies = 0;
  if (!valid) {
    send(of, memory::encode(memory::connect_response{}, of->connect));
    return close(of);
  }
  of->now = state::open;
  by_session_[of->session.id] = of;
  environment_.facts.connected(of->session.id, std::chrono::milliseconds(of->timeout));
  send(of, memory::encode(
               memory::connect_response{.timeout = of->timeout, .session_id = of->session.id},
               of->connect));
  read(of);
}

void server::end_session(session_id session) {
  if (const auto found = by_session_.find(session); found != by_session_.end()) {
    const auto which = found->second;
    close(which);
  }
}

} // namespace deterministic::servers
