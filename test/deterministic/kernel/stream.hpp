#pragma once

#include "deterministic/kernel/clock.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace deterministic {

class kernel;

/// A direction of the link between a process and a server.
struct link_direction {
  bool cut = false;
  time_point least_delay = std::chrono::microseconds{100};
  time_point most_delay = std::chrono::milliseconds{1};

  bool is_faulty() const noexcept { return cut || most_delay > std::chrono::milliseconds{10}; }
};

/// A direction of a connection: bytes arrive in order, in segments, each after a delay. While its
/// link is cut they wait, and are transmitted again some time after the link is healed.
class stream {
 public:
  /// The receiver of the bytes.
  class sink {
   public:
    virtual void on_arrived(stream& from, std::string_view bytes) = 0;
    virtual void on_end(stream& from) = 0;
    /// As many bytes have arrived as `break_after` said.
    virtual void on_broken() = 0;

   protected:
    ~sink() = default;
  };

  stream(kernel& of, const link_direction& link, sink& to);
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  void write(std::string_view bytes);

  /// The end follows the bytes.
  void finish();
  bool is_finished() const noexcept { return finished_; }

  /// Drops bytes that have not arrived.
  void abort() noexcept;

  /// The number of bytes that were written and not acknowledged.
  std::size_t unacknowledged();
  /// When the last bytes that have arrived are acknowledged.
  time_point last_acknowledgement() const noexcept { return last_acknowledgement_; }

  /// Breaks the connection after as many further bytes have arrived.
  void break_after(std::size_t bytes);

  /// The link is healed: continues after some time.
  void resume();

 private:
  struct segment {
    time_point due;
    std::size_t size;
  };

  void add_segment(std::size_t size);
  void arm();
  void arrive();
  bool deliver(std::size_t size);
  time_point delay();

  kernel& kernel_;
  const link_direction& link_;
  sink& sink_;
  std::string bytes_;
  std::size_t begin_ = 0;
  std::deque<segment> segments_;
  std::deque<segment> acknowledged_;
  std::size_t unacknowledged_ = 0;
  time_point last_due_{0};
  time_point last_acknowledgement_{0};
  /// Since when bytes wait for the link to be healed.
  std::optional<time_point> stopped_;
  clock::timer timer_ = clock::none;
  std::optional<std::size_t> break_in_;
  bool finished_ = false;
  bool aborted_ = false;
};

} // namespace deterministic
