#include "zookeeper/session.hpp"

#include "zookeeper/session_core.hpp"

#include <utility>
#include <variant>

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

namespace {

// The bytes of the paths and data of a request, with the overhead of each part of a transaction.
struct size_of {
  std::size_t operator()(const create_entry& what) const noexcept {
    return what.path.size() + what.data.size();
  }
  std::size_t operator()(const set& what) const noexcept {
    return what.path.size() + what.data.size();
  }
  std::size_t operator()(const check& what) const noexcept {
    std::size_t bytes = 0;
    for (const auto& path : what.paths)
      bytes += path.size() + part;
    return bytes;
  }
  std::size_t operator()(const transact& what) const noexcept {
    std::size_t bytes = 0;
    for (const auto& each : what.writes)
      bytes += each.path.size() + each.data.size() + part;
    return bytes;
  }
  std::size_t operator()(const confirm&) const noexcept { return 0; }
  template <class Request>
  std::size_t operator()(const Request& what) const noexcept {
    return what.path.size();
  }

  // The most bytes of a part of a transaction without its path and data.
  static constexpr std::size_t part = 32;
};

// Calls a function with the handle, if the session is connected. The function returns whether it
// has sent a request.
template <class Core, class Function>
void with_handle(Core* core, std::size_t bytes, Function function) {
  handle* const connected = core ? core->connected_handle() : nullptr;
  if (!connected) return;
  if (function(*connected)) core->count_request();
  core->requested(bytes);
}

} // namespace

void session::send(request what, receiver& to, request_tag tag) {
  with_handle(core_.get(), std::visit(size_of{}, what),
              [&](handle& connected) { return connected.send(std::move(what), to, tag); });
}

void session::remove_watch(const std::string& path, watch_kind kind) {
  with_handle(core_.get(), path.size(),
              [&](handle& connected) { return connected.remove_watch(path, kind); });
}

void session::give_up_connection() noexcept {
  if (core_) core_->give_up_connection();
}

void session::sync(const std::string& path) {
  with_handle(core_.get(), path.size(), [&](handle& connected) { return connected.sync(path); });
}

boot_clock::time_point session::valid_until() const noexcept {
  return core_ ? core_->validity().until() : boot_clock::time_point::min();
}

boot_clock::time_point session::useful_from() const noexcept {
  const auto now = boot_clock::now();
  return core_ ? core_->validity().useful_from(now) : now;
}

void session::reject_server(std::string why) {
  // The connection notices the loss as after a request that could not be sent.
  with_handle(core_.get(), 0, [&](handle& connected) {
    connected.reject_server(std::move(why));
    return false;
  });
}

std::chrono::milliseconds session::timeout() const noexcept {
  return core_ ? core_->timeout() : std::chrono::milliseconds{0};
}

bool session::connected() const noexcept {
  return core_ && core_->connected();
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
