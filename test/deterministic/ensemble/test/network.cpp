#include "network.hpp"

#include <algorithm>
#include <utility>

namespace ensemble_test {

using namespace std::chrono_literals;

class socket::far_end final : public deterministic::server_end {
 public:
  explicit far_end(std::weak_ptr<socket> of) : of_(std::move(of)) {}

  void send(std::string_view bytes) override {
    if (const auto to = of_.lock())
      to->to_client([raw = to.get(), copy = std::string(bytes)] { raw->handlers_.bytes(copy); });
  }
  void close() override {
    if (const auto to = of_.lock()) {
      to->closed_by_server_ = true;
      to->to_client([raw = to.get()] { raw->end(); });
    }
  }
  void reset() override { close(); }

 private:
  std::weak_ptr<socket> of_;
};

std::shared_ptr<socket> socket::connect(clockwork& clock, simulation::dice& dice,
                                        deterministic::listener& to, handlers by) {
  auto result = std::make_shared<socket>(clock, dice, std::move(by));
  auto end = std::make_shared<far_end>(result);
  result->program_ = to.accept(end);
  if (!result->program_) end->reset();
  return result;
}

socket::time_point socket::delay() {
  const auto most = dice_.chance(98) ? 500us : 50'000us;
  return 50us + 1ns * dice_.below(static_cast<std::size_t>(time_point(most).count()));
}

void socket::to_server(std::function<void()> arrive) {
  last_up_ = std::max(last_up_, clock_.now() + delay());
  clock_.at(last_up_, [self = shared_from_this(), arrive = std::move(arrive)] { arrive(); });
}

void socket::to_client(std::function<void()> arrive) {
  last_down_ = std::max(last_down_, clock_.now() + delay());
  clock_.at(last_down_, [self = shared_from_this(), arrive = std::move(arrive)] {
    if (!self->closed_) arrive();
  });
}

void socket::send(std::string bytes) {
  to_server([this, bytes = std::move(bytes)] {
    if (!closed_by_server_) program_->on_bytes(bytes);
  });
}

void socket::close() {
  if (std::exchange(closed_, true)) return;
  to_server([this] {
    if (!closed_by_server_) program_->on_closed();
  });
}

void socket::end() {
  closed_ = true;
  handlers_.closed();
}

} // namespace ensemble_test
