#include "zookeeper/handle.hpp"

#include "zookeeper/library_call.hpp"

#include <fcntl.h>

#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds close_timeout{1500};

ACL entry(const access& from) {
  // The C client's structure has no const. The C client copies both strings.
  return {from.permissions,
          {const_cast<char*>(from.scheme.c_str()), const_cast<char*>(from.id.c_str())}};
}

} // namespace

handle::handle(const std::string& address, const introduction& as, std::int64_t newest_write,
               const session_options& options)
    : wire_(as, {.resumes = as.session.client_id != 0,
                 .credentials = options.credentials.size(),
                 .newest_write = newest_write,
                 .refuse_timeout = options.refuse_timeout}) {
  access_.reserve(options.access_list.size());
  for (const auto& each : options.access_list)
    access_.push_back(entry(each));
  access_list_ = {static_cast<std::int32_t>(access_.size()), access_.data()};

  library_call call{wire_, messages_};
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  // Shuffling the addresses would seed the random numbers of the program.
  zoo_deterministic_conn_order(1);
  library_ =
      zookeeper_init2(address.c_str(), &handle::on_event, static_cast<int>(options.timeout.count()),
                      nullptr, this, ZOO_NO_LOG_CLIENTENV, &library_call::collect);
  if (!library_) {
    lose(ZSYSTEMERROR);
    return;
  }
  // By default, each call resolves the address again.
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
  // zookeeper_close() on a connected handle closes the session and blocks. When sending fails, it
  // does neither.
  wire_.mute();
  library_call call{wire_, messages_};
  zookeeper_close(library_);
}

handle::condition handle::state() const noexcept {
  if (!library_) return condition::lost;
  const int state = zoo_state(library_);
  if (state == ZOO_AUTH_FAILED_STATE) return condition::authentication_failed;
  if (lost_) return condition::lost;
  if (state == ZOO_CONNECTED_STATE) return condition::connected;
  if (state == ZOO_ASSOCIATING_STATE) return condition::associating;
  if (state == ZOO_CONNECTING_STATE || !opened_) return condition::connecting;
  // After a failed send the C client reports nothing but an unconnected state (ZOOKEEPER-4210).
  return condition::lost;
}

milliseconds handle::timeout() const noexcept {
  return milliseconds{zoo_recv_timeout(library_)};
}

handle::interest handle::next_interest() {
  int descriptor = -1;
  int events = 0;
  timeval delay{};
  {
    // A fork waits until the call ends: no child inherits the socket without close-on-exec.
    library_call call{wire_, messages_};
    const int code = zookeeper_interest(library_, &descriptor, &events, &delay);
    // The handle has one address and was not lost before: without a socket it never gets one.
    if (code != ZOK || descriptor < 0) lose(code != ZOK ? code : ZCONNECTIONLOSS);
    if (!std::exchange(opened_, true) && descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return {descriptor, (events & ZOOKEEPER_WRITE) != 0,
          std::chrono::ceil<milliseconds>(std::chrono::seconds{delay.tv_sec} +
                                          std::chrono::microseconds{delay.tv_usec})};
}

bool handle::process(int events) {
  library_call call{wire_, messages_};
  const int code = zookeeper_process(library_, events);
  if (code != ZOK && code != ZNOTHING) lose(code);
  return code == ZOK;
}

void handle::lose(int code) noexcept {
  if (!lost_) code_ = code;
  lost_ = true;
}

void handle::give_up(const char* why) noexcept {
  if (!lost_) given_up_ = why;
  lose(ZSYSTEMERROR);
}

void handle::reject_server(std::string why) {
  server_rejected_ = true;
  messages_ = std::move(why);
  lose(ZCONNECTIONLOSS);
}

// The connection is not lost: the session is closed through it.
void handle::reject_data(std::string shown_by) {
  server_rejected_ = true;
  resurrected_ = std::move(shown_by);
}

std::string handle::error_message() const {
  if (given_up_) return std::string("given up: ") + given_up_;
  if (unsent_)
    return std::string("a request to ") + unsent_ + " could not be sent: " + zerror(code_);
  if (fault()) return fault()->text;
  return messages_.empty() ? zerror(code_) : messages_;
}

bool handle::close_session() {
  const bool connected = zoo_state(library_) == ZOO_CONNECTED_STATE;
  {
    library_call call{wire_};
    wire_.permit_waiting();
    // Its last request closes the session.
    if (zookeeper_close(std::exchange(library_, nullptr)) != ZOK) return false;
  }
  return connected && wire_.wait_for_last_reply(socket_.get(), steady_clock::now() + close_timeout);
}

} // namespace zklock::zookeeper
