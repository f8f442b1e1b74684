#include "zookeeper/handle.hpp"

#include "zookeeper/library_call.hpp"

#include <fcntl.h>

#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds farewell{1500};

ACL entry(const access& from) {
  // The C client's structure has no const; it copies both.
  return {from.permissions,
          {const_cast<char*>(from.scheme.c_str()), const_cast<char*>(from.id.c_str())}};
}

} // namespace

handle::handle(const std::string& address, const clientid_t& id, const session_options& options)
    : wire_({.session = id.client_id,
             .credentials = options.credentials.size(),
             .shortcoming = options.shortcoming}) {
  access_.reserve(options.access_list.size());
  for (const auto& each : options.access_list)
    access_.push_back(entry(each));
  access_list_ = {static_cast<std::int32_t>(access_.size()), access_.data()};

  library_call call{wire_, said_};
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  // There is but one address, and shuffling it would seed the program's own random numbers.
  zoo_deterministic_conn_order(1);
  library_ =
      zookeeper_init2(address.c_str(), &handle::on_event, static_cast<int>(options.timeout.count()),
                      &id, this, ZOO_NO_LOG_CLIENTENV, &library_call::collect);
  if (!library_) {
    lose(ZSYSTEMERROR);
    return;
  }
  // Otherwise each call resolves the address again.
  zoo_set_servers_resolution_delay(library_, -1);
  for (const auto& each : options.credentials) {
    const int code = zoo_add_auth(library_, each.scheme.c_str(), each.secret.data(),
                                  static_cast<int>(each.secret.size()), nullptr, nullptr);
    if (code != ZOK) lose(code);
  }
}

handle::~handle() {
  if (!library_) return;
  detach();
  // Closing a handle that is connected would end the session and wait for that. Where it cannot
  // send it does neither.
  wire_.mute();
  library_call call{wire_, said_};
  zookeeper_close(library_);
}

handle::condition handle::state() const noexcept {
  if (!library_) return condition::lost;
  const int state = zoo_state(library_);
  if (state == ZOO_EXPIRED_SESSION_STATE) return condition::expired;
  if (state == ZOO_AUTH_FAILED_STATE) return condition::authentication_failed;
  if (lost_) return condition::lost;
  if (state == ZOO_CONNECTED_STATE) return condition::connected;
  if (state == ZOO_ASSOCIATING_STATE) return condition::associating;
  if (state == ZOO_CONNECTING_STATE || !opened_) return condition::connecting;
  // Where a send failed, that is all that the C client lets us know (ZOOKEEPER-4210).
  return condition::lost;
}

milliseconds handle::timeout() const noexcept {
  return milliseconds{zoo_recv_timeout(library_)};
}

handle::interest handle::ask() {
  int descriptor = -1;
  int events = 0;
  timeval delay{};
  {
    // A fork waits for it: no child gets the socket without that flag.
    library_call call{wire_, said_};
    const int code = zookeeper_interest(library_, &descriptor, &events, &delay);
    // The handle has one address and was not lost yet: it has a socket or never gets one.
    if (code != ZOK || descriptor < 0) lose(code != ZOK ? code : ZCONNECTIONLOSS);
    if (!std::exchange(opened_, true) && descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return {descriptor, (events & ZOOKEEPER_WRITE) != 0,
          std::chrono::ceil<milliseconds>(std::chrono::seconds{delay.tv_sec} +
                                          std::chrono::microseconds{delay.tv_usec})};
}

bool handle::process(int events) {
  library_call call{wire_, said_};
  const int code = zookeeper_process(library_, events);
  if (code != ZOK && code != ZNOTHING) lose(code);
  return code == ZOK;
}

void handle::lose(int code) noexcept {
  if (!lost_) code_ = code;
  lost_ = true;
}

void handle::give_up(std::string why) {
  given_up_ = true;
  said_ = std::move(why);
  lose(ZCONNECTIONLOSS);
}

std::string handle::complaint() const {
  if (fault()) return fault()->text;
  return said_.empty() ? zerror(code_) : said_;
}

bool handle::end() {
  const bool connected = zoo_state(library_) == ZOO_CONNECTED_STATE;
  {
    library_call call{wire_};
    wire_.permit_waiting();
    // Its last request ends the session.
    if (zookeeper_close(std::exchange(library_, nullptr)) != ZOK) return false;
  }
  return connected && wire_.wait_for_last_reply(socket_.get(), steady_clock::now() + farewell);
}

} // namespace zklock::zookeeper
