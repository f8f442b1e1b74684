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

// How many bytes a request has at most, but for what any has.
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

  // What a part of a transaction has besides its path and data.
  static constexpr std::size_t part = 32;
};

// Calls the handle, if there is one.
template <class Core, class Function>
void give(Core* core, std::size_t bytes, Function function) {
  handle* const library = core ? core->library() : nullptr;
  if (!library) return;
  function(*library);
  core->requested(bytes);
}

} // namespace

void session::send(request what, receiver& to, request_tag tag) {
  give(core_.get(), std::visit(size_of{}, what),
       [&](handle& library) { library.send(std::move(what), to, tag); });
}

void session::remove_watch(const std::string& path, watch_kind kind) {
  give(core_.get(), path.size(), [&](handle& library) { library.remove_watch(path, kind); });
}

void session::give_up_connection() noexcept {
  if (core_) core_->give_up_connection();
}

void session::sync(const std::string& path) {
  give(core_.get(), path.size(), [&](handle& library) { library.sync(path); });
}

boot_clock::time_point session::valid_until() const noexcept {
  return core_ ? core_->validity().until() : boot_clock::time_point::min();
}

boot_clock::time_point session::useful_from() const noexcept {
  const auto now = boot_clock::now();
  return core_ ? core_->validity().useful_from(now) : now;
}

void session::give_up(std::string why) {
  // That it is lost is seen as after a request that could not be sent.
  give(core_.get(), 0, [&](handle& library) { library.give_up(std::move(why)); });
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

errc session::trouble() const noexcept {
  return core_ ? core_->trouble() : errc::not_connected;
}

void session::close(std::function<void(error_code)> done) {
  if (core_) core_->close(std::move(done));
}

void session::abandon() noexcept {
  if (const auto last = std::exchange(core_, nullptr)) last->abandon();
}

} // namespace zklock::zookeeper
