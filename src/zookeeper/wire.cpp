#include "zookeeper/wire.hpp"

#include "support/jute_reader.hpp"
#include "zookeeper/xid.hpp"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zklock::zookeeper {

namespace {

using std::chrono::steady_clock;

} // namespace

wire::wire(std::unique_ptr<transport> through, const introduction& as,
           reply_check::expectations wanted, exchanges& sent)
    : sent_(sent),
      transport_(std::move(through)),
      input_(*transport_, std::move(wanted), sent),
      introduction_(as) {}

// The C client sends the length of a request, four bytes, and the request by two calls, with
// TCP_NODELAY. The transport combines both into a single packet. After a send that was cut short,
// four bytes may be the end of a request, which must not wait for more.
ssize_t wire::send(int socket, const void* data, std::size_t size) noexcept {
  if (!is_open()) {
    errno = EPIPE;
    return -1;
  }
  if (size != frame_length_size && introduction_) return send_introduction(socket, data, size);
  // The bytes are the C client's, on the heap.
  if (list_of_own_) make_list_of_own(const_cast<void*>(data), size);
  const bool is_length = size == frame_length_size && !is_send_cut_short_;
  const auto sent = transport_->send(socket, data, size, is_length);
  is_send_cut_short_ = sent != static_cast<ssize_t>(size);
  return sent;
}

// The first request of a connection. A session that the C client does not know of is resumed, since
// the C client would end a connection whose server grants another session than it was asked for,
// and leave that session at the servers.
ssize_t wire::send_introduction(int socket, const void* data, std::size_t size) noexcept {
  // Before the zxid: the version of the protocol. Before the session: the session timeout.
  constexpr std::size_t zxid_at = sizeof(std::int32_t);
  constexpr std::size_t session_at = zxid_at + sizeof(std::int64_t) + sizeof(std::int32_t);
  constexpr std::size_t password_at = session_at + sizeof(std::int64_t) + sizeof(std::int32_t);
  std::array<unsigned char, 64> introducing{};
  const auto introduced = *std::exchange(introduction_, std::nullopt);
  const auto& [id, password] = introduced.session;
  if (size < password_at + sizeof password || size > introducing.size()) {
    errno = EPROTO;
    return -1;
  }
  std::memcpy(introducing.data(), data, size);
  boost::endian::store_big_s64(introducing.data() + zxid_at, introduced.last_zxid_seen);
  boost::endian::store_big_s64(introducing.data() + session_at, id);
  std::memcpy(introducing.data() + password_at, password, sizeof password);
  return transport_->send(socket, introducing.data(), size, false);
}

// The C client cannot list the ephemeral nodes of a session. Its list of the children of the root
// asks for the nodes of which the path begins with "/", once the type of the request is changed:
// both requests begin with a path, and both replies are lists of names. The type is changed in the
// buffer of the C client, which may send it in several parts.
void wire::make_list_of_own(void* data, std::size_t size) noexcept {
  constexpr std::int32_t list_children = 8;
  constexpr std::int32_t list_own_nodes = 103;
  constexpr std::size_t type_at = sizeof(std::int32_t);
  auto* const bytes = static_cast<unsigned char*>(data);
  if (size < type_at + sizeof(std::int32_t)) return;
  if (boost::endian::load_big_s32(bytes) == *list_of_own_ &&
      boost::endian::load_big_s32(bytes + type_at) == list_children)
    boost::endian::store_big_s32(bytes + type_at, list_own_nodes);
}

ssize_t wire::receive(int socket, void* to, std::size_t size) noexcept {
  const auto given = is_open() ? input_.read(socket, to, size) : -1;
  if (!is_open() || (given < 0 && fault())) errno = EPROTO;
  return given;
}

transport::progress wire::shake_hands(int socket) noexcept {
  return is_open() ? transport_->shake_hands(socket) : transport::progress::failed;
}

void wire::flush(int socket) noexcept {
  if (is_open()) transport_->flush(socket);
}

void wire::end(int socket) noexcept {
  if (is_open()) transport_->end(socket);
}

int wire::poll(pollfd* descriptors, nfds_t count, int timeout) const noexcept {
  // Only waits for writing are permitted: the C client would take any message for its reply.
  const bool to_send = count == 1 && descriptors->events == POLLOUT;
  const int ready = ::poll(descriptors, count, may_wait_ && to_send ? timeout : 0);
  // A lost socket is always ready, and the C client does not read to find the loss: it would call
  // poll() again and again while the transport keeps bytes.
  if (ready <= 0 || (descriptors->revents & (POLLERR | POLLHUP)) == 0) return ready;
  errno = ECONNRESET;
  return -1;
}

timespec wire::time() const noexcept {
  const auto now = held_time_.value_or(steady_clock::now()).time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  return {.tv_sec = whole.count(), .tv_nsec = std::chrono::nanoseconds(now - whole).count()};
}

std::int32_t wire::next_xid() noexcept {
  last_xid_ = zookeeper::next_xid();
  if (exchange* const numbered = sent_.unnumbered()) {
    numbered->xid = last_xid_;
    if (numbered->layout == reply_layout::names) list_of_own_ = last_xid_;
  }
  return last_xid_;
}

bool wire::wait_for_last_reply(int socket, steady_clock::time_point deadline) noexcept {
  // No event of the socket announces bytes that its transport has read already.
  bool has_read = true;
  for (bool late = false;;) {
    if (const auto frame = input_.take_unchecked(); !frame.empty()) {
      detail::jute_reader header(frame);
      const auto xid = header.read_int();
      header.read_long();
      const auto error = header.read_int();
      if (xid == last_xid_) return error == 0;
      continue;
    }
    // Reads once more after the deadline: a reply that has arrived by then counts.
    if (late || fault()) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    late = left.count() <= 0;
    const short events = wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd ready{socket, events, 0};
    if (!has_read) ::poll(&ready, 1, late ? 0 : static_cast<int>(left.count()));
    flush(socket);
    has_read = input_.fill(socket);
    if (!has_read && errno != EAGAIN && errno != EINTR) return false;
  }
}

} // namespace zklock::zookeeper
