#include "zookeeper/handle.hpp"

#include "zookeeper/library_call.hpp"

#include <fcntl.h>

#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds close_timeout{1500};

} // namespace

handle::handle(const std::string& address, const introduction& as, std::int64_t newest_write,
               const session_options& options, std::unique_ptr<transport> through)
    : wire_(std::move(through), as,
            {.resumes = as.session.client_id != 0,
             .credentials = options.credentials.size(),
             .newest_write = newest_write,
             .refuse_timeout = options.refuse_timeout},
            sent_),
      replies_(sent_, wire_.checked(), end_),
      library_(make_library(address, options)),
      requests_(library_, wire_, sent_, replies_, end_, options.access_list) {}

zhandle_t* handle::make_library(const std::string& address, const session_options& options) {
  library_call call{wire_, end_.logged()};
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  // Shuffling the addresses would seed the random numbers of the program.
  zoo_deterministic_conn_order(1);
  zhandle_t* const made = zookeeper_init2(address.c_str(), &reply_reader::on_event,
                                          static_cast<int>(options.timeout.count()), nullptr,
                                          &replies_, ZOO_NO_LOG_CLIENTENV, &library_call::collect);
  if (!made) {
    end_.lose(ZSYSTEMERROR);
    return nullptr;
  }
  // By default, each call resolves the address again.
  zoo_set_servers_resolution_delay(made, -1);
  for (const auto& each : options.credentials) {
    const int code = zoo_add_auth(made, each.scheme.c_str(), each.secret.data(),
                                  static_cast<int>(each.secret.size()), nullptr, nullptr);
    if (code != ZOK) end_.lose(code);
  }
  return made;
}

handle::~handle() {
  if (socket_.get() >= 0) wire_.end(socket_.get());
  if (!library_) return;
  detach();
  // zookeeper_close() on a connected handle closes the session and blocks. When sending fails, it
  // does neither.
  wire_.mute();
  library_call call{wire_, end_.logged()};
  zookeeper_close(library_);
}

handle::condition handle::state() const noexcept {
  if (!library_) return condition::lost;
  const int state = zoo_state(library_);
  if (state == ZOO_AUTH_FAILED_STATE) return condition::authentication_failed;
  if (end_.is_lost()) return condition::lost;
  if (state == ZOO_CONNECTED_STATE) return condition::connected;
  if (state == ZOO_ASSOCIATING_STATE) return condition::associating;
  if (state == ZOO_CONNECTING_STATE || !opened_) return condition::connecting;
  // After a failed send the C client reports nothing but an unconnected state (ZOOKEEPER-4210).
  return condition::lost;
}

milliseconds handle::timeout() const noexcept {
  return milliseconds{zoo_recv_timeout(library_)};
}

handle::interest handle::next_interest(steady_clock::time_point as_of) {
  int descriptor = -1;
  int events = 0;
  timeval delay{};
  {
    // A fork waits until the call ends: no child inherits the socket without close-on-exec.
    library_call call{wire_, end_.logged()};
    wire_.hold_time(as_of);
    const int code = zookeeper_interest(library_, &descriptor, &events, &delay);
    wire_.hold_time({});
    // The handle has a single address and was not lost before: without a socket now, it never gets
    // a socket.
    if (code != ZOK || descriptor < 0) end_.lose(code != ZOK ? code : ZCONNECTIONLOSS);
    if (!std::exchange(opened_, true) && descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return {descriptor, (events & ZOOKEEPER_WRITE) != 0 || wire_.wants_to_write(),
          std::chrono::ceil<milliseconds>(std::chrono::seconds{delay.tv_sec} +
                                          std::chrono::microseconds{delay.tv_usec})};
}

bool handle::shake_hands(int socket) noexcept {
  const auto progress = wire_.shake_hands(socket);
  if (progress == transport::progress::failed) end_.lose(ZCONNECTIONLOSS);
  return progress == transport::progress::done;
}

bool handle::process(int events) {
  library_call call{wire_, end_.logged()};
  const int code = zookeeper_process(library_, events);
  if (code != ZOK && code != ZNOTHING) end_.lose(code);
  return code == ZOK;
}

bool handle::close_session() {
  const bool connected = zoo_state(library_) == ZOO_CONNECTED_STATE;
  {
    library_call call{wire_};
    wire_.permit_waiting();
    // The last request of the wire closes the session.
    if (zookeeper_close(std::exchange(library_, nullptr)) != ZOK) return false;
  }
  return connected && wire_.wait_for_last_reply(socket_.get(), steady_clock::now() + close_timeout);
}

} // namespace zklock::zookeeper
