#include "zookeeper/session_core.hpp"

#include "support/log_line.hpp"
#include "zookeeper/closer.hpp"
#include "zookeeper/error_text.hpp"
#include "zookeeper/granted_timeout.hpp"
#include "zookeeper/plain_transport.hpp"
#include "zookeeper/rotating_tls.hpp"

#include <boost/asio/post.hpp>

#include <charconv>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

std::size_t bytes_of(const std::vector<access>& list) {
  std::size_t bytes = 0;
  for (const auto& each : list)
    bytes += each.scheme.size() + each.id.size() + 16;
  return bytes;
}

constexpr auto hint_at_tls = "; does it speak TLS at this port, which needs client_options::tls?";

std::string in_hex(std::int64_t zxid) {
  char text[17];
  return "0x" + std::string(text, std::to_chars(text, std::end(text), zxid, 16).ptr);
}

} // namespace

session_core::session_core(strand executor, session_options options, session_owner& by)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      log_(options_.log),
      owner_(&by),
      record_(options_.timeout, options_.server_tick),
      connector_(executor_, options_.servers, log_, *this, *this),
      requests_(executor_, connector_, by, bytes_of(options_.access_list)) {}

void session_core::start() {
  connector_.attach(std::shared_ptr<connector>(shared_from_this(), &connector_));
  requests_.attach(std::shared_ptr<request_sender>(shared_from_this(), &requests_));
  connector_.retry();
}

void session_core::set_servers(std::vector<server_address> servers) {
  if (is_stopped() || servers == options_.servers) return;
  options_.servers = std::move(servers);
  log_.begin_outage();
  std::string list;
  for (const auto& each : options_.servers)
    list.append(list.empty() ? "" : ",").append(readable(each));
  log_(log_level::info,
       detail::log_line("the list of servers has changed").field("servers", list).take());
  connector_.set_servers(options_.servers);
}

std::optional<tls_stats> session_core::tls() const {
  const handle* const open = connector_.open_handle();
  return open ? open->tls() : std::nullopt;
}

std::unique_ptr<handle> session_core::make_handle(const endpoint& address) {
  std::unique_ptr<transport> through;
  if (options_.tls)
    through = options_.tls->open(readable(address), connector_.hosts(), log_);
  else
    through = std::make_unique<plain_transport>();
  const auto as = record_.begin_attempt();
  return std::make_unique<handle>(c_client_form(address), as, record_.writes().newest(), options_,
                                  std::move(through));
}

// The session fails only if every server is unusable.
void session_core::on_round_over() {
  if (record_.has_lost_known()) end_session(errc::session_expired);
  if (is_stopped()) return;
  if (!connector_.is_hopeless()) return connector_.retry();
  const auto why = connect_error();
  log_(log_level::error, "no server is usable: ", make_error_code(why).message());
  fail(why);
}

void session_core::on_unlisted() {
  const auto server = readable(connector_.address());
  log_(log_level::info,
       detail::log_line("leaving " + server + ", which is not in the list of servers")
           .field("server", server)
           .session(record_.id())
           .take());
  connector_.link().release();
  end_use();
  if (!is_stopped()) connector_.begin_round();
}

void session_core::on_established() noexcept {
  const handle& opened = *connector_.open_handle();
  record_.established(opened.id(), opened.timeout());
  if (!record_.writes().conceals()) return begin_use();
  requests_.send_early(confirm{}, *this);
}

// A server that refuses the write by itself shows nothing.
void session_core::on_reply(request_tag, const reply& answer) noexcept {
  if (is_committed(answer)) return begin_use();
  connector_.open_handle()->reject_server("it does not carry out writes: " +
                                          error_text(answer.error));
}

void session_core::begin_use() {
  if (record_.has_lost_known()) end_session(errc::session_expired);
  if (is_stopped()) return;
  const bool is_new = record_.introduce();
  connector_.use();
  log_connected(is_new);
  owner_->on_connected(is_new, record_.timeout());
}

void session_core::on_answered(request_label which, boot_clock::time_point sent,
                               bool committed) noexcept {
  requests_.answered(which);
  record_.answered(sent, committed, connector_.open_handle()->newest_write());
}

void session_core::on_watch_fired(std::string_view path, watch_event event) noexcept {
  owner_->on_watch(path, event);
}

void session_core::on_lost(loss how, std::string_view why, request_label unanswered) noexcept {
  log_loss(how, why, unanswered);
  connector_.failed(how);
  if (how == loss::refused) record_.writes().refused();
  if (how == loss::does_not_list_own) requests_.list_own_is_unknown();
  const bool was_used = end_use();
  if (turns_away(how)) connector_.turned_away();
  if (is_stopped()) return;
  if (how == loss::authentication_failed) return fail(errc::authentication_failed);
  if (how == loss::expired) return replace_session();
  if (was_used && !shows_at_a_request(how)) return connector_.retry();
  connector_.try_next();
}

// Returns whether the owner knew of the connection.
bool session_core::end_use() {
  if (!connector_.end_use()) return false;
  requests_.clear();
  record_.disconnected();
  owner_->on_disconnected();
  return true;
}

// Servers with older data may not know the session either. So if this round conceals the writes,
// the next session shows first why the session has ended.
void session_core::replace_session() {
  record_.forget();
  record_.writes().go_on();
  if (!record_.writes().conceals()) end_session(errc::session_expired);
  if (!is_stopped()) connector_.replace();
}

// The session is closed, since the servers may have its deleted nodes again, which would block
// their locks.
void session_core::on_rolled_back() noexcept {
  auto open = connector_.link().release();
  log_rollback(*open);
  close_session(std::move(open));
  record_.writes().forget();
  end_use();
  if (is_stopped()) return;
  record_.forget();
  owner_->on_rolled_back();
  if (!is_stopped()) end_session(errc::data_rolled_back);
  if (!is_stopped()) connector_.retry();
}

// The owner may know of no session: a session whose first write has no reply yet may expire, too.
void session_core::end_session(errc why) {
  if (!record_.is_known()) return;
  const auto ended = record_.end_known();
  if (why == errc::session_expired)
    log_(log_level::warning, detail::log_line("the session has expired").session(ended).take());
  owner_->on_expired(why);
}

void session_core::fail(errc why) {
  session_owner& told = *owner_;
  stop();
  told.on_failed(why);
}

// Also true if the owner does not know of the connection yet.
bool session_core::is_open() const noexcept {
  const handle* const open = connector_.open_handle();
  return process_.is_current() && open && open->state() == handle::condition::connected;
}

void session_core::stop() noexcept {
  owner_ = nullptr;
  // Credentials and certificates belong to the program, and handlers under way keep this object
  // alive.
  options_.credentials.clear();
  options_.tls.reset();
  requests_.clear();
  connector_.stop();
}

void session_core::close(std::function<void(error_code)> done) {
  if (!is_open()) {
    // An attempt without a reply may have created a session, which has no nodes, and expires. The
    // owner may know of a session of which a server has told that it has expired, although it may
    // have lost its quorum: the session then lives on at the next leader.
    const bool has_ended = record_.id() == 0 && !record_.is_known();
    const auto result = has_ended ? error_code{} : error_code{errc::not_connected};
    stop();
    asio::post(executor_, [done = std::move(done), result] { done(result); });
    return;
  }
  log_(log_level::info, detail::log_line("closing the session").session(record_.id()).take());
  auto connected = connector_.link().release();
  stop();
  closing_ = close_session(std::move(connected), executor_, [done = std::move(done)](bool closed) {
    done(closed ? error_code{} : error_code{errc::not_connected});
  });
}

void session_core::abandon() noexcept {
  if (is_open()) close_session(connector_.link().release());
  stop();
  if (const auto report = closing_.lock()) {
    error_code ignored;
    if (!process_.is_current()) disown(report->native_handle());
    report->close(ignored);
  }
}

void session_core::log_connected(bool is_new) {
  const auto server = readable(connector_.address());
  const auto timeout = record_.timeout();
  log_(log_level::info, detail::log_line("connected to " + server)
                            .field("server", server)
                            .session(record_.id())
                            .field("new_session", is_new ? "true" : "false")
                            .field("session_timeout_ms", std::to_string(timeout.count()))
                            .take());
  if (record_.is_timeout_news())
    log_(log_level::warning, granted_timeout_text(options_.timeout, timeout, options_.server_tick));
}

void session_core::log_loss(loss how, std::string_view why, request_label unanswered) {
  const auto server = readable(connector_.address());
  if (connector_.is_stable()) log_.begin_outage();
  switch (how) {
  case loss::expired:
    break;
  case loss::authentication_failed:
    log_(log_level::error, server, " refused the credentials");
    break;
  default:
    log_.once(log_level::warning, connected() ? "lost the connection to " : "could not connect to ",
              server, ": ", why, may_speak_tls(how) ? hint_at_tls : "");
  }
  if (how != loss::broken || !unanswered.name) return;
  if (requests_.ended_behind(unanswered))
    log_(log_level::warning, std::to_string(cut_requests::suspicious),
         " connections in a row have ended behind a request to ", unanswered.name,
         ": the servers may not know it, or find it larger than their jute.maxbuffer");
}

// With TLS at its port, a server closes the connection without a word. So does a server for other
// reasons, which are more likely once the client has had a session.
bool session_core::may_speak_tls(loss how) const noexcept {
  return how == loss::refused && !options_.tls && record_.id() == 0;
}

void session_core::log_rollback(const handle& shown_by) const {
  detail::log_line line("the servers came back with older data, and tokens may go back");
  line.field("server", readable(connector_.address())).session(record_.id());
  if (const auto zxid = shown_by.rolled_back_to())
    line.field("zxid", in_hex(*zxid)).field("seen_zxid", in_hex(record_.writes().newest()));
  else
    line.field("resurrected", shown_by.resurrected());
  log_(log_level::error, line.take());
}

} // namespace zklock::zookeeper
