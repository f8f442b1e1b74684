#include "testing/relay_core.hpp"

#include "testing/relay_connection.hpp"

namespace zklock::testing {

namespace asio = boost::asio;
using asio::ip::tcp;

relay_core::relay_core(asio::io_context& context, tcp::endpoint target, relay_options options,
                       link_options link)
    : target_(std::move(target)),
      frames_(options.frames),
      link_(std::move(link)),
      listener_(context, options.port, [this](tcp::socket client) { add(std::move(client)); }) {}

relay_core::~relay_core() = default;

void relay_core::open() {
  if (!listener_.is_open()) listener_.open(shared_from_this());
}

void relay_core::add(tcp::socket client) {
  auto one = std::make_shared<relay_connection>(*this, std::move(client), ++last_number_);
  connections_.insert(one);
  counts_.connection_opened();
  one->start();
}

void relay_core::shut() {
  listener_.close();
  cut();
}

void relay_core::cut() {
  auto all = connections_;
  for (const auto& one : all)
    one->close(true);
}

void relay_core::silence(direction way) {
  silent_[index(way)] = true;
}

void relay_core::heal() {
  silent_ = {};
  delay_ = {};
  open();
  auto all = connections_;
  for (const auto& one : all)
    one->heal();
}

relay_core::decision relay_core::decide(const frame& one) {
  decision result;
  for (const auto& each : hooks_) {
    if (each->way != one.way || !each->which(one) || !each->select()) continue;
    result.hooks.push_back(each);
    if (each->what == reaction::observe) continue;
    result.what = each->what;
    break;
  }
  for (const auto& used : result.hooks)
    std::erase(hooks_, used);
  return result;
}

void relay_core::closed(const std::shared_ptr<relay_connection>& one) {
  if (connections_.erase(one) != 0) counts_.connection_closed();
}

} // namespace zklock::testing
