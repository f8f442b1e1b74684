// How a session ends: at the servers, with data that is gone, and with its client.
#include "support/log_line.hpp"
#include "zookeeper/closer.hpp"
#include "zookeeper/session_core.hpp"

#include <boost/asio/post.hpp>

#include <charconv>
#include <iterator>
#include <string>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

std::string in_hex(std::int64_t zxid) {
  char text[17];
  return "0x" + std::string(text, std::to_chars(text, std::end(text), zxid, 16).ptr);
}

} // namespace

// Servers with older data may not know the session either. So where this round conceals the writes,
// the next session shows first why the session has ended.
void session::core::replace_session() {
  forget_session();
  writes_.go_on();
  if (!writes_.conceals()) end_session(errc::session_expired);
  if (!stopped_) begin_round();
}

// The session is closed, since the servers may have its deleted nodes again, which would block
// their locks.
void session::core::on_rolled_back() noexcept {
  auto open = connection_.release();
  log_rollback(*open);
  close_session(std::move(open));
  writes_.forget();
  end_connection();
  if (stopped_) return;
  forget_session();
  owner_->on_rolled_back();
  if (!stopped_ && known_ != 0) end_session(errc::data_rolled_back);
  if (!stopped_) retry();
}

void session::core::log_rollback(const handle& shown_by) const {
  detail::log_line line("the servers came back with older data, and tokens may go back");
  line.field("server", readable(address_)).session(id_.client_id);
  if (const auto zxid = shown_by.rolled_back_to())
    line.field("zxid", in_hex(*zxid)).field("seen_zxid", in_hex(writes_.newest()));
  else
    line.field("resurrected", shown_by.resurrected());
  log_(log_level::error, line.take());
}

void session::core::forget_session() {
  id_ = {};
  answered_ = false;
  validity_.expired();
  timeout_ = options_.timeout;
}

void session::core::end_session(errc why) {
  const auto ended = std::exchange(known_, 0);
  if (why == errc::session_expired)
    log_(log_level::warning, detail::log_line("the session has expired").session(ended).take());
  owner_->on_expired(why);
}

void session::core::fail(errc why) {
  session_owner& owner = *owner_;
  stop();
  owner.on_failed(why);
}

// Also where the owner does not know of the connection yet.
bool session::core::is_open() const noexcept {
  const handle* const open = connection_.open_handle();
  return process_.is_current() && open && open->state() == handle::condition::connected;
}

void session::core::stop() noexcept {
  stopped_ = true;
  connected_ = false;
  owner_ = nullptr;
  // Of the program: handlers under way keep this object alive.
  options_.credentials.clear();
  combiner_.clear();
  retry_timer_.cancel();
  resolver_.stop();
  connection_.release();
}

void session::core::close(std::function<void(error_code)> done) {
  if (!is_open()) {
    // An attempt without a reply may have created a session, which has no nodes, and expires.
    const auto result = id_.client_id == 0 ? error_code{} : error_code{errc::not_connected};
    stop();
    asio::post(executor_, [done = std::move(done), result] { done(result); });
    return;
  }
  log_(log_level::info, detail::log_line("closing the session").session(id_.client_id).take());
  auto connected = connection_.release();
  stop();
  closing_ = close_session(std::move(connected), executor_, [done = std::move(done)](bool closed) {
    done(closed ? error_code{} : error_code{errc::not_connected});
  });
}

void session::core::abandon() noexcept {
  if (is_open()) close_session(connection_.release());
  stop();
  if (const auto report = closing_.lock()) {
    error_code ignored;
    if (!process_.is_current()) disown(report->native_handle());
    report->close(ignored);
  }
}

} // namespace zklock::zookeeper
