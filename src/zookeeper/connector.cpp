#include "zookeeper/connector.hpp"

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

using namespace std::chrono_literals;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds stable{1000};

// The bounds of the time limit for an address.
constexpr milliseconds shortest_attempt{500};
constexpr milliseconds longest_attempt{10'000};

} // namespace

connector::connector(const strand& executor, const std::vector<server_address>& servers,
                     logger& log, owner& by, connection::listener& listener)
    : owner_(by),
      resolver_(executor, servers, log),
      connection_(executor, listener),
      retry_timer_(executor),
      random_(std::random_device{}()) {}

void connector::attach(const std::shared_ptr<connector>& self) {
  self_ = self;
  connection_.attach(std::shared_ptr<connection>(self, &connection_));
  resolver_.attach(std::shared_ptr<resolver>(self, &resolver_),
                   [this](const std::vector<endpoint>& found) { on_resolved(found); });
}

void connector::begin_round() {
  owner_.on_round_begins();
  round_.begin(resolver_.known(), random_);
  resolver_.refresh();
  try_next();
}

void connector::on_resolved(const std::vector<endpoint>& found) {
  if (is_used()) return leave_unlisted();
  if (round_.add(found) && !open_handle()) try_next();
}

void connector::set_servers(const std::vector<server_address>& servers) {
  resolver_.set_servers(servers);
  auto known = resolver_.known();
  const bool is_listed = std::find(known.begin(), known.end(), address()) != known.end();
  if (!is_used() && !(open_handle() && is_listed)) {
    connection_.release();
    return begin_round();
  }
  round_.go_on(std::move(known), random_);
  is_listed_ = is_listed;
  look_for_server();
}

void connector::look_for_server() {
  resolver_.refresh();
  leave_unlisted();
}

void connector::leave_unlisted() {
  if (is_listed_) return;
  const auto known = resolver_.known();
  is_listed_ = std::find(known.begin(), known.end(), address()) != known.end();
  if (is_listed_ || resolver_.is_looking_up()) return;
  known.empty() ? retry() : owner_.on_unlisted();
}

void connector::try_next() {
  if (!round_.next()) return owner_.on_round_over();
  auto made = owner_.make_handle(address());
  connection_.open(std::move(made), steady_clock::now() + attempt_limit());
}

// Some silent servers must not make the session expire while another server is reachable.
milliseconds connector::attempt_limit() const {
  const auto addresses = static_cast<milliseconds::rep>(round_.size());
  return std::clamp(owner_.session_timeout() / std::max<milliseconds::rep>(addresses, 3),
                    shortest_attempt, longest_attempt);
}

void connector::retry() {
  const auto delay = delay_.next(random_, owner_.session_timeout());
  if (delay == 0ms) return go_on();
  retry_timer_.expires_after(delay);
  retry_timer_.async_wait([self = self_](error_code cancelled) {
    const auto alive = self.lock();
    if (cancelled || !alive || alive->stopped_) return;
    alive->go_on();
  });
}

// A name that was resolved meanwhile may have started the next attempt.
void connector::go_on() {
  if (!is_listed_) return look_for_server();
  if (!open_handle()) begin_round();
}

void connector::stop() noexcept {
  stopped_ = true;
  used_since_.reset();
  retry_timer_.cancel();
  resolver_.stop();
  connection_.release();
}

void connector::use() noexcept {
  used_since_ = steady_clock::now();
  round_.succeeded();
}

bool connector::is_stable() const noexcept {
  return used_since_ && steady_clock::now() - *used_since_ >= stable;
}

bool connector::end_use() noexcept {
  if (is_stable()) delay_.reset();
  is_listed_ = true;
  return std::exchange(used_since_, std::nullopt).has_value();
}

} // namespace zklock::zookeeper
