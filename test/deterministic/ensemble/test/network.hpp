#pragma once

#include "clockwork.hpp"
#include "simulation/dice.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ensemble_test {

/// A connection of a client to a replica: bytes arrive in order, after a random delay.
class socket : public std::enable_shared_from_this<socket> {
 public:
  using time_point = deterministic::time_point;

  struct handlers {
    std::function<void(std::string_view)> bytes;
    std::function<void()> closed;
  };

  static std::shared_ptr<socket> connect(clockwork& clock, simulation::dice& dice,
                                         deterministic::listener& to, handlers by);

  socket(clockwork& clock, simulation::dice& dice, handlers by)
      : clock_(clock), dice_(dice), handlers_(std::move(by)) {}

  void send(std::string bytes);
  /// Nothing arrives at the client any more.
  void close();

 private:
  class far_end;

  time_point delay();
  void to_server(std::function<void()> arrive);
  void to_client(std::function<void()> arrive);
  void end();

  clockwork& clock_;
  simulation::dice& dice_;
  handlers handlers_;
  std::unique_ptr<deterministic::server_program> program_;
  bool closed_ = false;
  bool closed_by_server_ = false;
  time_point last_up_{};
  time_point last_down_{};
};

} // namespace ensemble_test
