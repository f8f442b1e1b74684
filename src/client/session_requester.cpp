#include "client/session_requester.hpp"

#include <random>
#include <utility>
#include <variant>

namespace zklock::detail {

namespace {

queue::session_token draw_token(bool keeps) {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits of the uuid's version.
  const queue::session_token drawn{bits(device) & ~std::uint64_t{0xf000}};
  return drawn.with(keeps);
}

} // namespace

void session_requester::begin_session() {
  token_ = draw_token(core_.options().lock_cache.has_value());
  proof_.set_only_read(false);
}

bool session_requester::has_created_lately() const noexcept {
  return std::chrono::steady_clock::now() - last_create_ < session_.timeout();
}

void session_requester::send(zookeeper::request what, zookeeper::receiver& to) {
  if (std::holds_alternative<zookeeper::create_entry>(what))
    last_create_ = std::chrono::steady_clock::now();
  session_.get().send(what, to, {});
}

void session_requester::remove_watch(const std::string& path, zookeeper::watch_kind kind) {
  session_.get().remove_watch(path, kind);
}

bool session_requester::containers() const noexcept {
  return core_.options().parents == parent_kind::container;
}

} // namespace zklock::detail
