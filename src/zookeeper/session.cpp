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

namespace {

// Calls a request of the handle, if there is one.
template <class Core, class Request>
void give(Core* core, std::size_t bytes, Request request) {
  handle* const library = core ? core->library() : nullptr;
  if (!library) return;
  request(*library);
  core->requested(bytes);
}

} // namespace

void session::create_directory(const std::string& path, bool container, receiver& to,
                               request_tag tag) {
  give(core_.get(), path.size(),
       [&](handle& library) { library.create_directory(path, container, to, tag); });
}

void session::create_entry(const std::string& path, std::string_view data, receiver& to,
                           request_tag tag) {
  give(core_.get(), path.size() + data.size(),
       [&](handle& library) { library.create_entry(path, data, to, tag); });
}

void session::remove(const std::string& path, receiver& to, request_tag tag) {
  give(core_.get(), path.size(), [&](handle& library) { library.remove(path, to, tag); });
}

void session::list(const std::string& path, bool watch, receiver& to, request_tag tag) {
  give(core_.get(), path.size(), [&](handle& library) { library.list(path, watch, to, tag); });
}

void session::get(const std::string& path, bool watch, receiver& to, request_tag tag) {
  give(core_.get(), path.size(), [&](handle& library) { library.get(path, watch, to, tag); });
}

void session::exists(const std::string& path, bool watch, receiver& to, request_tag tag) {
  give(core_.get(), path.size(), [&](handle& library) { library.exists(path, watch, to, tag); });
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

void session::set(const std::string& path, std::string_view data, std::int32_t version,
                  receiver& to, request_tag tag) {
  give(core_.get(), path.size() + data.size(),
       [&](handle& library) { library.set(path, data, version, to, tag); });
}

void session::check(std::span<const std::string> paths, receiver& to, request_tag tag) {
  std::vector<write> writes;
  for (const auto& path : paths)
    writes.push_back({.what = write::kind::check, .path = path});
  transact(std::move(writes), to, tag);
}

void session::transact(std::vector<write> writes, receiver& to, request_tag tag) {
  std::size_t bytes = 0;
  for (const auto& each : writes)
    bytes += each.path.size() + each.data.size() + 32;
  give(core_.get(), bytes, [&](handle& library) { library.transact(std::move(writes), to, tag); });
}

void session::confirm(receiver& to, request_tag tag) {
  transact({}, to, tag);
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
