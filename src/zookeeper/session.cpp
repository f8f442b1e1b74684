#include "zookeeper/session.hpp"

#include "zookeeper/session_core.hpp"

#include <utility>

namespace zklock::zookeeper {

std::shared_ptr<session> session::make(strand executor, session_options options,
                                       session_owner& owner) {
  return std::shared_ptr<session>(
      new session(std::make_shared<core>(std::move(executor), std::move(options), owner)));
}

session::session(std::shared_ptr<core> parts) : core_(std::move(parts)) {}

session::~session() {
  abandon();
}

void session::start() {
  core_->start();
}

void session::send(const request& what, receiver& to, request_tag tag) {
  if (core_) core_->send(what, to, tag);
}

void session::remove_watch(const std::string& path, watch_kind kind) {
  if (core_) core_->remove_watch(path, kind);
}

void session::give_up_connection(const char* why) noexcept {
  if (core_) core_->give_up_connection(why);
}

void session::sync(const std::string& path) {
  if (core_) core_->sync(path);
}

boot_clock::time_point session::valid_until() const noexcept {
  return core_ ? core_->valid_until() : boot_clock::time_point::min();
}

boot_clock::time_point session::useful_from() const noexcept {
  const auto now = boot_clock::now();
  return core_ ? core_->validity().useful_from(now) : now;
}

void session::reject_server(std::string why) {
  if (core_) core_->reject_server(std::move(why));
}

void session::reject_data(std::string resurrected) {
  if (core_) core_->reject_data(std::move(resurrected));
}

bool session::lists_own() const noexcept {
  return core_ && core_->lists_own();
}

std::chrono::milliseconds session::timeout() const noexcept {
  return core_ ? core_->timeout() : std::chrono::milliseconds{0};
}

bool session::connected() const noexcept {
  return core_ && core_->connected();
}

std::size_t session::most_bytes() const noexcept {
  return core_ ? core_->most_bytes() : 0;
}

bool session::answered() const noexcept {
  return core_ && core_->answered();
}

std::int64_t session::id() const noexcept {
  return core_ ? core_->id() : 0;
}

errc session::connect_error() const noexcept {
  return core_ ? core_->connect_error() : errc::not_connected;
}

void session::close(std::function<void(error_code)> done) {
  if (core_) core_->close(std::move(done));
}

void session::abandon() noexcept {
  if (const auto last = std::exchange(core_, nullptr)) last->abandon();
}

} // namespace zklock::zookeeper
