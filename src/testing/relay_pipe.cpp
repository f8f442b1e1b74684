#include "testing/relay_pipe.hpp"

#include "testing/relay_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace zklock::testing {

namespace asio = boost::asio;
using boost::system::error_code;

// With more unwritten bytes, the relay stops reading: the kernel then slows down the sender.
constexpr std::size_t most_queued = std::size_t{1024} * 1024;

relay_pipe::relay_pipe(relay_connection& owner, direction way, socket& from, socket& to,
                       outstanding_requests& outstanding)
    : owner_(owner),
      core_(owner.core()),
      way_(way),
      from_(from),
      to_(to),
      timer_(from.get_executor()),
      reader_(way, outstanding),
      opened_(way == direction::to_client || !core_.link().filter) {
  if (!core_.has_frames()) reader_.set_raw();
}

bool relay_pipe::is_silent() const {
  return owner_.is_silent() || core_.is_silent(way_);
}

void relay_pipe::go() {
  process();
  write();
  read();
}

void relay_pipe::read() {
  if (owner_.is_closed() || reading_ || source_end_ != ending::none || ended_ || is_silent() ||
      queued_ > most_queued)
    return;
  reading_ = true;
  from_.async_read_some(asio::buffer(in_),
                        [this, keep = owner_.shared_from_this()](error_code ec, std::size_t size) {
                          reading_ = false;
                          if (!owner_.is_closed()) on_read(ec, size);
                        });
}

void relay_pipe::on_read(error_code ec, std::size_t size) {
  std::string_view bytes(in_.data(), size);
  if (ec) {
    source_end_ = ec == asio::error::eof ? ending::finish : ending::cut;
  } else if (opened_) {
    reader_.append(bytes);
  } else {
    opening_.append(bytes);
    opened_ = core_.link().filter(opening_);
    if (opened_) reader_.append(std::exchange(opening_, {}));
  }
  go();
}

void relay_pipe::process() {
  while (!ended_ && !is_silent() && !owner_.is_closed()) {
    if (auto piece = reader_.next()) {
      process_frame(*piece);
      continue;
    }
    if (reader_.is_raw()) {
      owner_.set_raw();
      if (auto bytes = reader_.take_raw(); !bytes.empty()) push({.bytes = std::string(bytes)});
    }
    if (source_end_ != ending::none) {
      ended_ = true;
      push({.then = source_end_});
    }
    break;
  }
}

void relay_pipe::process_frame(const frame_reader::piece& piece) {
  frame content = piece.content;
  content.connection = owner_.number();
  auto decision = core_.decide(content);
  segment one{.bytes = std::string(piece.wire), .kinds = {content.kind}};
  switch (decision.what) {
  case reaction::observe:
    one.hooks = std::move(decision.hooks);
    push(std::move(one));
    break;
  case reaction::drop:
    push({.hooks = std::move(decision.hooks)});
    break;
  case reaction::cut_before:
    ended_ = true;
    push({.then = ending::cut, .hooks = std::move(decision.hooks)});
    break;
  case reaction::cut_after:
    ended_ = true;
    one.then = ending::cut;
    one.hooks = std::move(decision.hooks);
    push(std::move(one));
    break;
  case reaction::silence_before:
    push({.then = ending::silence, .hooks = std::move(decision.hooks)});
    push(std::move(one));
    break;
  case reaction::silence_after:
    one.then = ending::silence;
    one.hooks = std::move(decision.hooks);
    push(std::move(one));
    break;
  }
}

void relay_pipe::push(segment one) {
  if (auto delay = core_.delay(way_); delay.count() > 0) one.due = relay_core::clock::now() + delay;
  queued_ += one.bytes.size();
  queue_.push_back(std::move(one));
}

void relay_pipe::write() {
  while (!owner_.is_closed() && !writing_ && !is_silent() && take_outgoing()) {
    if (outgoing_.bytes.empty()) {
      on_written();
      continue;
    }
    writing_ = true;
    core_.counts().forwarded(way_, outgoing_.kinds, outgoing_.bytes.size());
    asio::async_write(to_, asio::buffer(outgoing_.bytes),
                      [this, keep = owner_.shared_from_this()](error_code ec, std::size_t) {
                        writing_ = false;
                        if (owner_.is_closed()) return;
                        if (ec) return owner_.close(true);
                        on_written();
                        go();
                      });
  }
}

/// Moves the due segments into `outgoing_`, up to the first segment with an ending.
bool relay_pipe::take_outgoing() {
  outgoing_ = {};
  bool any = false;
  auto now = relay_core::clock::now();
  while (!queue_.empty() && queue_.front().due <= now) {
    segment& front = queue_.front();
    any = true;
    queued_ -= front.bytes.size();
    outgoing_.bytes += front.bytes;
    outgoing_.kinds.insert(outgoing_.kinds.end(), front.kinds.begin(), front.kinds.end());
    outgoing_.then = front.then;
    outgoing_.hooks.insert(outgoing_.hooks.end(), front.hooks.begin(), front.hooks.end());
    queue_.pop_front();
    if (outgoing_.then != ending::none) break;
  }
  if (!any && !queue_.empty() && !waiting_) {
    waiting_ = true;
    timer_.expires_at(queue_.front().due);
    timer_.async_wait([this, keep = owner_.shared_from_this()](error_code) {
      waiting_ = false;
      if (!owner_.is_closed()) go();
    });
  }
  return any;
}

void relay_pipe::on_written() {
  auto hooks = std::exchange(outgoing_.hooks, {});
  error_code ignored;
  switch (outgoing_.then) {
  case ending::none:
    break;
  case ending::cut:
    owner_.close(true);
    break;
  case ending::silence:
    owner_.silence();
    break;
  case ending::finish:
    finished_ = true;
    to_.shutdown(socket::shutdown_send, ignored);
    owner_.close_if_finished();
    break;
  }
  for (const auto& one : hooks)
    one->fire(owner_.number());
}

} // namespace zklock::testing
