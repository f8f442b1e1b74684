#include <zklock/testing/error.hpp>
#include <zklock/testing/relay.hpp>

#include "testing/endpoint.hpp"
#include "testing/relay_impl.hpp"

namespace zklock::testing {

relay::relay(const std::string& target, relay_options options)
    : impl_(std::make_unique<impl>(target, options)) {}

relay::~relay() = default;

std::string relay::address() const {
  return loopback_address(port());
}

std::uint16_t relay::port() const {
  return impl_->core->port();
}

void relay::cut() {
  impl_->thread->run([this] { impl_->core->cut(); });
}

void relay::refuse() {
  impl_->thread->run([this] { impl_->core->shut(); });
}

void relay::accept() {
  impl_->thread->run([this] { impl_->core->open(); });
}

void relay::silence() {
  impl_->thread->run([this] {
    impl_->core->silence(direction::to_server);
    impl_->core->silence(direction::to_client);
  });
}

void relay::silence(direction way) {
  impl_->thread->run([&] { impl_->core->silence(way); });
}

void relay::delay(direction way, std::chrono::microseconds time) {
  impl_->thread->run([&] { impl_->core->delay(way, time); });
}

void relay::heal() {
  impl_->thread->run([this] { impl_->core->heal(); });
}

std::uint64_t relay::requests(operation kind) const {
  return impl_->core->counts().frames(direction::to_server, kind);
}

std::uint64_t relay::total_requests() const {
  return impl_->core->counts().total_requests();
}

std::uint64_t relay::replies(operation kind) const {
  return impl_->core->counts().frames(direction::to_client, kind);
}

std::uint64_t relay::bytes(direction way) const {
  return impl_->core->counts().bytes(way);
}

std::uint64_t relay::accepted() const {
  return impl_->core->counts().accepted();
}

void relay::reset_counts() {
  impl_->core->counts().reset();
}

std::size_t relay::connections() const {
  return impl_->core->counts().connections();
}

void relay::wait_for_connections(std::size_t count, std::chrono::milliseconds limit) const {
  if (!impl_->core->counts().wait_for_connections(count, limit))
    throw error("there are " + std::to_string(connections()) + " connections through " + address() +
                ", not " + std::to_string(count) + ", after " + std::to_string(limit.count()) +
                " ms");
}

} // namespace zklock::testing
