#include "deterministic/kernel/connection.hpp"

#include "deterministic/kernel/kernel.hpp"
#include "deterministic/kernel/socket.hpp"

#include <cerrno>
#include <utility>

namespace deterministic {

namespace {

// Linux repeats the first packet after 1, 3, 7, 15, 31 and 63 seconds, and gives up after 127.
constexpr int most_attempts = 7;

} // namespace

connection::connection(kernel& of, socket& client, link& through)
    : kernel_(of),
      client_(&client),
      link_(through),
      up_(of, through.up, *this),
      down_(of, through.down, *this),
      is_hurt_(through.is_faulty()) {}

connection::~connection() {
  kernel_.time().cancel(packet_);
}

void connection::open() {
  ++attempts_;
  packet_ = kernel_.time().after(delay(link_.up), [this] {
    packet_ = clock::none;
    reach_server();
  });
}

void connection::try_again() {
  const time_point pause = std::chrono::seconds{1 << (attempts_ - 1)};
  packet_ = kernel_.time().after(pause, [this] {
    packet_ = clock::none;
    if (attempts_ != most_attempts) return open();
    fail_client(ETIMEDOUT);
    // The server may have accepted it and have lost every answer. It gives up, too, and earlier.
    end_server(true);
  });
}

void connection::reach_server() {
  if (link_.up.cut) return try_again();
  if (!accepted_) {
    listener* const server = kernel_.net().find(link_.address);
    if (!server) return link_.down.cut ? try_again() : refuse(ECONNREFUSED);
    accepted_ = true;
    program_ = server->accept(shared_from_this());
    if (!program_) return refuse(ECONNRESET);
  }
  packet_ = kernel_.time().after(delay(link_.down), [this] {
    packet_ = clock::none;
    reach_client();
  });
}

void connection::reach_client() {
  if (link_.down.cut) return try_again();
  kernel_.trace([&] { return link_.name + " is connected to " + link_.address; });
  if (client_ && !client_->is_connected()) client_->on_connected();
}

void connection::release(bool unread) {
  is_left_ = !is_hurt_ && !down_.is_finished();
  client_ = nullptr;
  kernel_.trace(
      [&] { return link_.name + " leaves " + link_.address + (unread ? " (reset)" : ""); });
  kernel_.time().cancel(std::exchange(packet_, clock::none));
  if (unread) {
    up_.abort();
    disown();
  } else {
    up_.finish();
  }
  remove_if_ended();
}

void connection::close() {
  kernel_.trace([&] { return link_.address + " closes a connection of " + link_.name; });
  down_.finish();
  end_server(false);
}

void connection::reset() {
  kernel_.trace([&] { return link_.address + " resets a connection of " + link_.name; });
  forget();
  refuse(ECONNRESET);
}

void connection::forget() {
  down_.abort();
  end_server(false);
}

void connection::die() {
  hurt();
  kernel_.time().cancel(std::exchange(packet_, clock::none));
  up_.finish();
  if (client_) client_->on_error(ECONNRESET);
}

void connection::finish_way(bool up) {
  if (!program_ || !client_ || !client_->is_connected()) return;
  kernel_.trace([&] {
    return "the connection of " + link_.name + " to " + link_.address + " ends one way, " +
           (up ? "up" : "down");
  });
  hurt();
  (up ? up_ : down_).finish();
}

void connection::tear() {
  kernel_.trace([&] { return link_.name + " and " + link_.address + " are torn apart"; });
  up_.abort();
  down_.abort();
  kernel_.time().cancel(std::exchange(packet_, clock::none));
  fail_client(ECONNRESET);
  end_server(true);
}

void connection::break_after(bool up, std::size_t bytes) {
  (up ? up_ : down_).break_after(bytes);
}

void connection::resume() {
  up_.resume();
  down_.resume();
}

// A packet that is lost on a cut link is sent again when the next bytes arrive.
void connection::refuse(int error) {
  kernel_.time().after(delay(link_.down), [self = weak_from_this(), error] {
    const auto alive = self.lock();
    if (alive && !alive->link_.down.cut) alive->fail_client(error);
  });
}

void connection::disown() {
  kernel_.time().after(delay(link_.up), [self = weak_from_this()] {
    const auto alive = self.lock();
    if (alive && !alive->link_.up.cut) alive->end_server(true);
  });
}

void connection::fail_client(int error) {
  hurt();
  if (client_) client_->on_error(error);
  up_.abort();
  down_.abort();
  remove_if_ended();
}

// Its program may be the caller.
void connection::end_server(bool tell) {
  if (!program_) return;
  const std::shared_ptr<server_program> ended = std::move(program_);
  if (tell) {
    is_left_ ? ended->on_left() : ended->on_closed();
    down_.finish();
  }
  kernel_.time().after(time_point{0}, [ended] {});
  remove_if_ended();
}

void connection::remove_if_ended() {
  if (client_ || program_ || std::exchange(removed_, true)) return;
  kernel_.time().after(time_point{0}, [self = weak_from_this()] {
    if (const auto alive = self.lock()) alive->kernel_.net().remove(*alive);
  });
}

time_point connection::delay(const link_direction& through) {
  const auto spread = static_cast<std::size_t>((through.most_delay - through.least_delay).count());
  return through.least_delay + time_point{kernel_.dice().below(spread + 1)};
}

void connection::tell_of_space() {
  kernel_.time().at(up_.last_acknowledgement(), [self = weak_from_this()] {
    const auto alive = self.lock();
    if (alive && alive->client_) alive->client_->on_space();
  });
}

void connection::on_arrived(stream& from, std::string_view bytes) {
  if (&from == &up_) {
    kernel_.record().add(bytes.data(), bytes.size());
    if (program_)
      program_->on_bytes(bytes);
    else
      refuse(ECONNRESET);
    if (client_ && client_->waits_for_space()) tell_of_space();
  } else if (client_) {
    if (!client_->is_connected()) client_->on_connected();
    client_->on_bytes(bytes);
  } else {
    disown();
  }
}

void connection::on_end(stream& from) {
  if (&from == &up_)
    end_server(true);
  else if (client_)
    client_->on_end();
}

} // namespace deterministic
