#pragma once

#include "testing/frame_reader.hpp"
#include "testing/relay_core.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::testing {

class relay_connection;

/// A direction of a connection through a relay: reads, applies hooks and delays, and writes.
class relay_pipe {
 public:
  using socket = boost::asio::ip::tcp::socket;

  relay_pipe(relay_connection& owner, direction way, socket& from, socket& to,
             outstanding_requests& outstanding);

  /// Starts, and continues after the end of a silence.
  void go();

  void stop() { timer_.cancel(); }
  void set_raw() { reader_.set_raw(); }

  /// Returns whether the end of the stream was forwarded.
  bool finished() const { return finished_; }

 private:
  /// The action after a segment's bytes.
  enum class ending { none, finish, cut, silence };

  struct segment {
    relay_core::clock::time_point due{};
    std::string bytes{};
    std::vector<operation> kinds{};
    ending then = ending::none;
    std::vector<std::shared_ptr<hook::state>> hooks{};
  };

  bool is_silent() const;
  void read();
  void on_read(boost::system::error_code ec, std::size_t size);
  void process();
  void process_frame(const frame_reader::piece& piece);
  void push(segment one);
  void write();
  bool take_outgoing();
  void on_written();

  relay_connection& owner_;
  relay_core& core_;
  const direction way_;
  socket& from_;
  socket& to_;
  boost::asio::steady_timer timer_;
  frame_reader reader_;
  std::string opening_;
  bool opened_;
  std::deque<segment> queue_;
  segment outgoing_;
  std::size_t queued_ = 0;
  ending source_end_ = ending::none;
  bool reading_ = false;
  bool writing_ = false;
  bool waiting_ = false;
  /// Whether the queue ends with the end of the stream or a cut. Nothing is added after it.
  bool ended_ = false;
  bool finished_ = false;
  std::array<char, std::size_t{64} * 1024> in_;
};

} // namespace zklock::testing
