#include "client.hpp"

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"

#include <utility>

namespace ensemble_test {

using namespace std::chrono_literals;
using zklock::detail::jute_writer;
using zklock::testing::checked_reader;

namespace {

constexpr std::int32_t session_timeout = 6000;
constexpr std::int32_t open_access = 31;
constexpr std::int32_t ephemeral = 1;

} // namespace

client::client(environment with, int id, int watched)
    : environment_(with), id_(id), watched_(watched), validity_(with.options.tick) {
  last_heard_ = with.clock.now();
  act();
}

client::boot_time client::boot_now() const {
  return boot_time(environment_.clock.now());
}

deterministic::time_point client::proven_until() const {
  return std::chrono::duration_cast<deterministic::time_point>(
      validity_.until().time_since_epoch());
}

// ---- The connection.

void client::connect() {
  const auto to = only_ >= 0 ? only_ : static_cast<int>(environment_.dice.below(servers::replicas));
  const auto number = ++connection_;
  input_.clear();
  connect_sent_ = last_heard_ = environment_.clock.now();
  socket_ = socket::connect(environment_.clock, environment_.dice, environment_.to.at(to),
                            {.bytes =
                                 [this, number](std::string_view bytes) {
                                   if (number == connection_) receive(bytes);
                                 },
                             .closed =
                                 [this, number] {
                                   if (number == connection_) lost();
                                 }});
  jute_writer out;
  out.put_int(0);
  out.put_long(last_zxid_);
  out.put_int(session_timeout);
  out.put_long(session_);
  out.put_string(password_);
  out.put_bool(false);
  socket_->send(out.framed());
}

void client::lost() {
  is_open_ = false;
  requests_.clear();
  validity_.disconnected();
  const auto number = ++connection_;
  const auto wait = 1ns * environment_.dice.below(200'000'000);
  environment_.clock.at(environment_.clock.now() + wait, [this, number] {
    if (number == connection_) connect();
  });
}

void client::reconnect() {
  socket_->close();
  lost();
}

void client::receive(std::string_view bytes) {
  last_heard_ = environment_.clock.now();
  input_.append(bytes);
  const auto number = connection_;
  while (number == connection_ && input_.size() >= 4) {
    const auto size = static_cast<std::size_t>(checked_reader(input_).take_int());
    if (input_.size() < 4 + size) return;
    const auto frame = input_.substr(4, size);
    input_.erase(0, 4 + size);
    if (is_open_)
      reply(frame);
    else
      connected(frame);
  }
}

void client::connected(std::string_view frame) {
  checked_reader in(frame);
  in.take_int();
  const auto timeout = in.take_int();
  const auto session = in.take_long();
  if (session == 0) {
    validity_.expired();
    session_ = last_zxid_ = 0;
    password_.assign(16, '\0');
    watch_.reset();
    return;
  }
  const bool is_new = session != session_;
  session_ = session;
  password_ = in.take_string();
  is_open_ = true;
  sessions_ += is_new;
  validity_.connected(boot_time(connect_sent_), boot_now(), std::chrono::milliseconds(timeout),
                      is_new);
  if (is_silent_) return;
  if (watch_) set_watches();
  if (is_new) send_create();
}

// ---- Requests.

void client::act() {
  const auto next = 1ns * environment_.dice.between(1'000'000, session_timeout * 200'000ull);
  environment_.clock.at(environment_.clock.now() + next, [this] {
    act();
    const auto now = environment_.clock.now();
    const auto two_thirds = std::chrono::milliseconds(session_timeout) * 2 / 3;
    if (!is_silent_ && now - last_heard_ > two_thirds) return reconnect();
    if (!is_open_ || is_silent_) return;
    const auto what = environment_.dice.below(100);
    if (is_idle_ || what < 10) {
      if (now - last_sent_ > two_thirds / 2) send(kind::ping, -2, 11, {});
    } else if (what < 70) {
      for (auto left = environment_.dice.between(1, 3); left > 0; --left)
        has_node_ ? send_write() : send_create();
      if (environment_.dice.chance(50)) send_read(kind::read_own, false);
    } else if (what < 97) {
      send_read(kind::read_watched, !watch_);
    } else {
      reconnect();
    }
  });
}

void client::send(kind what, std::int32_t xid, std::int32_t type, const std::string& body) {
  last_sent_ = environment_.clock.now();
  requests_.push_back({xid, what, sent_, last_sent_});
  jute_writer out;
  out.put_int(xid);
  out.put_int(type);
  out.put_raw(body);
  socket_->send(out.framed());
}

// Its own node; then an ephemeral node for each session.
void client::send_create() {
  const auto create = [this](const std::string& path, std::int32_t flags) {
    jute_writer out;
    out.put_string(path);
    out.put_string("0");
    out.put_int(1);
    out.put_int(open_access);
    out.put_string("world");
    out.put_string("anyone");
    out.put_int(flags);
    send(kind::create, ++xid_, 1, out.bytes());
  };
  create(path(), 0);
  create("/e" + std::to_string(id_) + "-" + std::to_string(sessions_), ephemeral);
}

void client::send_write() {
  ++sent_;
  jute_writer out;
  out.put_string(path());
  out.put_string(std::to_string(sent_));
  out.put_int(-1);
  send(kind::write, ++xid_, 5, out.bytes());
}

void client::send_read(kind what, bool watches) {
  jute_writer out;
  out.put_string(what == kind::read_own ? path() : path_of(watched_));
  out.put_bool(watches);
  send(what, ++xid_, 4, out.bytes());
  requests_.back().watches = watches;
}

void client::set_watches() {
  jute_writer out;
  out.put_long(last_zxid_);
  out.put_int(1);
  out.put_string(path_of(watched_));
  out.put_int(0);
  out.put_int(0);
  send(kind::set_watches, -8, 101, out.bytes());
}

} // namespace ensemble_test
