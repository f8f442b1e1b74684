#include "zookeeper/session.hpp"

#include "zookeeper/session_core.hpp"

#include <utility>

namespace zklock::zookeeper {

std::shared_ptr<session> session::make(strand executor, session_options options,
                                       session_owner& owner) {
  return std::shared_ptr<session>(
      new session(std::make_shared<session_core>(std::move(executor), std::move(options), owner)));
}

session::session(std::shared_ptr<session_core> core) : core_(std::move(core)) {}

session::~session() {
  abandon();
}

void session::start() {
  core_->start();
}

void session::set_servers(std::vector<server_address> servers) {
  if (core_) core_->set_servers(std::move(servers));
}

void session::send(const request& what, receiver& to, request_tag tag) {
  if (core_) core_->requests().send(what, to, tag);
}

void session::remove_watch(const std::string& path, watch_kind kind) {
  if (core_) core_->requests().remove_watch(path, kind);
}

void session::sync(const std::string& path) {
  if (core_) core_->requests().sync(path);
}

boot_clock::time_point session::valid_until() const noexcept {
  return core_ ? core_->record().valid_until() : boot_clock::time_point::min();
}

boot_clock::time_point session::useful_from() const noexcept {
  const auto now = boot_clock::now();
  return core_ ? core_->record().useful_from(now) : now;
}

void session::reject_server(std::string why) {
  if (core_) core_->requests().reject_server(std::move(why));
}

void session::reject_data(std::string resurrected) {
  if (core_) core_->requests().reject_data(std::move(resurrected));
}

bool session::lists_own() const noexcept {
  return core_ && core_->requests().lists_own();
}

std::chrono::milliseconds session::timeout() const noexcept {
  return core_ ? core_->record().timeout() : std::chrono::milliseconds{0};
}

bool session::connected() const noexcept {
  return core_ && core_->connected();
}

std::size_t session::most_bytes() const noexcept {
  return core_ ? core_->requests().most_bytes() : 0;
}

bool session::answered() const noexcept {
  return core_ && core_->record().is_answered();
}

std::int64_t session::id() const noexcept {
  return core_ ? core_->record().id() : 0;
}

errc session::connect_error() const noexcept {
  return core_ ? core_->connect_error() : errc::not_connected;
}

std::optional<tls_stats> session::tls() const {
  return core_ ? core_->tls() : std::nullopt;
}

void session::close(std::function<void(error_code)> done) {
  if (core_) core_->close(std::move(done));
}

void session::abandon() noexcept {
  if (const auto last = std::exchange(core_, nullptr)) last->abandon();
}

} // namespace zklock::zookeeper
