#include "zookeeper/handle.hpp"

#include "zookeeper/library_call.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds farewell{1500};

// How much of what a server says last is looked at: room for many events of watches.
constexpr std::size_t longest_tail = 64 * 1024;

// Whether a server has answered the request to end the session. Watches that fired before it hung
// up may have been told of behind that.
bool ends_in_goodbye(std::string_view tail) {
  // The number, the transaction and the error of an event.
  constexpr std::string_view event("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 16);
  for (;;) {
    const auto begin = tail.rfind(event);
    if (begin == tail.npos || begin < 4) break;
    std::size_t size = 0;
    for (const char digit : tail.substr(begin - 4, 4))
      size = size << 8 | static_cast<unsigned char>(digit);
    if (begin + size != tail.size()) break;
    tail.remove_suffix(size + 4);
  }
  constexpr std::string_view header_size("\0\0\0\x10", 4);
  constexpr std::string_view no_error("\0\0\0\0", 4);
  return tail.size() >= 20 && tail.substr(tail.size() - 20, 4) == header_size &&
         tail.ends_with(no_error);
}

ACL entry(const access& from) {
  // The C client's structure has no const; it copies both.
  return {from.permissions,
          {const_cast<char*>(from.scheme.c_str()), const_cast<char*>(from.id.c_str())}};
}

} // namespace

handle::handle(const std::string& address, const clientid_t& id, const session_options& options) {
  access_.reserve(options.access_list.size());
  for (const auto& each : options.access_list)
    access_.push_back(entry(each));
  access_list_ = {static_cast<std::int32_t>(access_.size()), access_.data()};

  library_call call{said_};
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
  // Closing a handle that thinks it is connected ends the session. On a dead socket it cannot, and
  // does not wait for an answer either.
  if (zoo_state(library_) == ZOO_CONNECTED_STATE) ::shutdown(descriptor_, SHUT_RDWR);
  library_call call{said_};
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
  int events = 0;
  timeval delay{};
  opened_ = true;
  {
    library_call call{said_};
    const int code = zookeeper_interest(library_, &descriptor_, &events, &delay);
    // The handle has one address and was not lost yet: it has a socket or never gets one.
    if (code != ZOK || descriptor_ < 0) lose(code != ZOK ? code : ZCONNECTIONLOSS);
  }
  return {descriptor_, (events & ZOOKEEPER_WRITE) != 0,
          std::chrono::ceil<milliseconds>(std::chrono::seconds{delay.tv_sec} +
                                          std::chrono::microseconds{delay.tv_usec})};
}

bool handle::process(int events) {
  library_call call{said_};
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
  return said_.empty() ? zerror(code_) : said_;
}

bool handle::end() {
  const bool connected = zoo_state(library_) == ZOO_CONNECTED_STATE;
  const auto deadline = std::chrono::steady_clock::now() + farewell;
  // Others may be in the C client meanwhile. This shares nothing with them.
  const int code = zookeeper_close(std::exchange(library_, nullptr));
  return connected && code == ZOK && server_says_goodbye(deadline);
}

// The C client sends the request, waits until the socket has anything at all to read and claims
// success whatever that is. The server answers with nothing but a header, then hangs up.
bool handle::server_says_goodbye(std::chrono::steady_clock::time_point deadline) const {
  std::string tail;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{socket_.get(), POLLIN, 0};
    ::poll(&readable, 1, std::max(static_cast<int>(left.count()), 0));
    std::array<char, 4096> piece;
    const auto size = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (size > 0) {
      tail.append(piece.data(), static_cast<std::size_t>(size));
      tail.erase(0, tail.size() - std::min(tail.size(), longest_tail));
    } else if (size == 0) {
      return ends_in_goodbye(tail);
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;
    }
    if (left.count() <= 0) return false;
  }
}

} // namespace zklock::zookeeper
