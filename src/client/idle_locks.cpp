// What becomes of directories after each event: which are idle, and which wait for the budget of
// owned bytes.

#include "client/client_state.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

// How many locks that nobody uses are remembered.
constexpr std::size_t remembered = 1024;

} // namespace

void client_state::settle(directory& d) {
  look_at_sharers();
  if (d.has_refused()) try_again_later();
  auto& hook = static_cast<intrusive::list_base_hook<auto_unlink>&>(d);
  if (hook.is_linked() != d.idle()) {
    if (hook.is_linked()) {
      hook.unlink();
      --idle_count_;
    } else {
      idle_.push_back(d);
      ++idle_count_;
      forget_idle();
    }
  }
  if (!budget_line_.settle(d) || std::exchange(serving_, true)) return;
  asio::post(*strand_, [self = shared_from_this()] { self->serve_starved(); });
}

void client_state::forget_idle() {
  if (idle_count_ > remembered) forget(idle_.front());
}

void client_state::forget(directory& d) {
  auto& hook = static_cast<intrusive::list_base_hook<auto_unlink>&>(d);
  if (hook.is_linked()) --idle_count_;
  std::erase(unproven_, &d);
  take_names(d);
  std::erase_if(watched_, [&](const auto& each) { return each.second == &d; });
  try {
    watches_.release(&d, *session_);
    unused_.add(d.shared_name(), d.made());
  } catch (const std::bad_alloc&) {
    // Watches go with the connection, and directories by the servers.
    watches_.leave(&d);
  }
  directories_.erase(directories_.find(d.path()));
}

void client_state::serve_starved() {
  budget_line_.serve([this](auto makes_room) {
    return std::any_of(directories_.begin(), directories_.end(),
                       [&](const auto& each) { return makes_room(*each.second); });
  });
  serving_ = false;
}

} // namespace zklock::detail
