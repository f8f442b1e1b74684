#include "zookeeper/session_core.hpp"

#include "support/log_line.hpp"
#include "zookeeper/closer.hpp"
#include "zookeeper/error_text.hpp"
#include "zookeeper/granted_timeout.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds stable{1000};

// The bounds of the time limit for one address.
constexpr milliseconds shortest_attempt{500};
constexpr milliseconds longest_attempt{10'000};

std::size_t bytes_of(const std::vector<access>& list) {
  std::size_t bytes = 0;
  for (const auto& each : list)
    bytes += each.scheme.size() + each.id.size() + 16;
  return bytes;
}

} // namespace

session::core::core(strand executor, session_options options, session_owner& owner)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      log_(options_.log),
      owner_(&owner),
      resolver_(executor_, options_.servers, log_),
      connection_(executor_, *this),
      retry_timer_(executor_),
      random_(std::random_device{}()),
      combiner_(*this, bytes_of(options_.access_list)),
      timeout_(options_.timeout),
      validity_(options_.server_tick) {}

void session::core::start() {
  connection_.attach(std::shared_ptr<connection>(shared_from_this(), &connection_));
  resolver_.attach(std::shared_ptr<resolver>(shared_from_this(), &resolver_),
                   [this](const std::vector<endpoint>& found) { on_resolved(found); });
  retry();
}

void session::core::begin_round() {
  untried_ = resolver_.known();
  tried_.clear();
  unusable_ = 0;
  writes_.begin_round();
  std::shuffle(untried_.begin(), untried_.end(), random_);
  // Addresses are tried from the back. The one that failed last is tried last: it may be silent for
  // the whole time limit again.
  std::partition(untried_.begin(), untried_.end(),
                 [this](const endpoint& each) { return each == address_; });
  resolver_.refresh();
  try_next();
}

void session::core::on_resolved(const std::vector<endpoint>& found) {
  if (connected_) return;
  const auto is_in = [](const std::vector<endpoint>& list, const endpoint& address) {
    return std::find(list.begin(), list.end(), address) != list.end();
  };
  bool added = false;
  for (const auto& address : found) {
    if (is_in(tried_, address) || is_in(untried_, address)) continue;
    // A new address is tried next: the others may be outdated.
    untried_.push_back(address);
    added = true;
  }
  if (added && !connection_.open_handle()) try_next();
}

void session::core::try_next() {
  if (untried_.empty()) return end_round();
  address_ = untried_.back();
  tried_.push_back(address_);
  untried_.pop_back();
  attempt_begun_ = boot_clock::now();
  const introduction as{.session = id_, .last_zxid_seen = writes_.told()};
  connection_.open(
      std::make_unique<handle>(c_client_form(address_), as, writes_.newest(), options_),
      steady_clock::now() + attempt_limit());
}

// Some silent servers must not make the session expire while others are reachable.
milliseconds session::core::attempt_limit() const {
  const auto addresses = static_cast<milliseconds::rep>(tried_.size() + untried_.size());
  return std::clamp(timeout_ / std::max<milliseconds::rep>(addresses, 3), shortest_attempt,
                    longest_attempt);
}

// The session fails only if every server is unusable: servers may differ in their settings, and a
// name may not be resolved yet.
void session::core::end_round() {
  if (has_lost_session()) end_session(errc::session_expired);
  if (stopped_) return;
  if (tried_.empty() || unusable_ != tried_.size() || !resolver_.knows_all()) return retry();
  log_(log_level::error, "no server is usable: ", make_error_code(connect_error_).message());
  fail(connect_error_);
}

// A server that turns the client away is not asked for ever as often as one that may start at any
// moment. A third of the session timeout is short enough to keep a session that exists.
void session::core::retry() {
  const auto bound =
      turned_away_ ? std::max(timeout_ / 3, backoff::usual_bound) : backoff::usual_bound;
  const auto delay = backoff_.next(random_, bound);
  if (delay == 0ms) return begin_round();
  retry_timer_.expires_after(delay);
  retry_timer_.async_wait([self = weak_from_this()](error_code cancelled) {
    const auto alive = self.lock();
    if (cancelled || !alive || alive->stopped_) return;
    // A name that was resolved meanwhile may have started the next attempt.
    if (!alive->connection_.open_handle()) alive->begin_round();
  });
}

void session::core::on_established() noexcept {
  handle& opened = *connection_.open_handle();
  const bool is_new = opened.id().client_id != id_.client_id;
  id_ = opened.id();
  timeout_ = opened.timeout();
  if (is_new) {
    validity_.expired();
    answered_ = false;
  }
  validity_.connected(attempt_begun_, boot_clock::now(), timeout_, is_new);
  if (!writes_.conceals()) return begin_use();
  if (opened.send(confirm{}, *this, {})) owner_->on_request();
  connection_.requested();
}

// A server that refuses the write by itself shows nothing.
void session::core::on_reply(request_tag, const reply& answer) noexcept {
  if (is_committed(answer)) return begin_use();
  connection_.open_handle()->reject_server("it does not carry out writes: " +
                                           error_text(answer.error));
}

void session::core::begin_use() {
  if (has_lost_session()) end_session(errc::session_expired);
  if (stopped_) return;
  const bool is_new = known_ == 0;
  known_ = id_.client_id;
  connected_ = true;
  connected_since_ = steady_clock::now();
  connect_error_ = errc::not_connected;
  log_(log_level::info, detail::log_line("connected to " + readable(address_))
                            .field("server", readable(address_))
                            .session(id_.client_id)
                            .field("new_session", is_new ? "true" : "false")
                            .field("session_timeout_ms", std::to_string(timeout_.count()))
                            .take());
  if (timeout_ != options_.timeout && timeout_ != std::exchange(logged_timeout_, timeout_))
    log_(log_level::warning,
         granted_timeout_text(options_.timeout, timeout_, options_.server_tick));
  owner_->on_connected(is_new, timeout_);
}

void session::core::on_answered(request_label which, boot_clock::time_point sent,
                                bool committed) noexcept {
  answered_ = true;
  cuts_.answered(which);
  validity_.answered(sent, boot_clock::now(), committed);
  writes_.saw(connection_.open_handle()->newest_write());
}

void session::core::on_watch_fired(std::string_view path, watch_event event) noexcept {
  owner_->on_watch(path, event);
}

void session::core::on_lost(loss how, std::string_view why, request_label unanswered) noexcept {
  log_loss(how, why, unanswered);
  connect_error_ = error_of(how);
  unusable_ += is_unusable(how);
  if (how == loss::refused) writes_.refused();
  if (how == loss::does_not_list_own) lists_own_ = false;
  const bool was_connected = end_connection();
  turned_away_ |= turns_away(how);
  if (stopped_) return;
  if (how == loss::authentication_failed) return fail(errc::authentication_failed);
  if (how == loss::expired) return replace_session();
  if (was_connected && !shows_at_a_request(how)) return retry();
  try_next();
}

void session::core::log_loss(loss how, std::string_view why, request_label unanswered) {
  const auto server = readable(address_);
  if (is_stable()) log_.begin_outage();
  switch (how) {
  case loss::expired:
    break;
  case loss::authentication_failed:
    log_(log_level::error, server, " refused the credentials");
    break;
  default:
    log_.once(log_level::warning, connected_ ? "lost the connection to " : "could not connect to ",
              server, ": ", why);
  }
  if (how != loss::broken || !unanswered.name) return;
  cuts_.ended_behind(unanswered);
  if (cuts_.count() == cut_requests::suspicious)
    log_(log_level::warning, std::to_string(cut_requests::suspicious),
         " connections in a row have ended behind a request to ", unanswered.name,
         ": the servers may not know it, or find it larger than their jute.maxbuffer");
}

// A shorter connection counts as a failed attempt.
bool session::core::is_stable() const {
  return connected_ && steady_clock::now() - connected_since_ >= stable;
}

// Returns whether the owner knew of the connection.
bool session::core::end_connection() {
  if (is_stable()) {
    backoff_.reset();
    turned_away_ = false;
  }
  if (!std::exchange(connected_, false)) return false;
  combiner_.clear();
  validity_.disconnected();
  owner_->on_disconnected();
  return true;
}

} // namespace zklock::zookeeper
