#include "lock/inquiries.hpp"

#include "lock/client_state.hpp"

#include <utility>

namespace zklock::detail {

inquiry::~inquiry() = default;

zookeeper::session& inquiry::session() noexcept {
  return client_.session();
}

void inquiry::fail(error_code why) {
  if (std::exchange(ended_, true)) return;
  patience_.reset();
  failed(why);
}

void inquiry::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  --unanswered_;
  if (!ended_) answered(tag, reply);
}

void inquiries::start(std::shared_ptr<inquiry> one) {
  forget_ended();
  open_.push_back(std::move(one));
  inquiry& added = *open_.back();
  if (client_.connected())
    added.begin();
  else
    wait(added);
}

void inquiries::connected() {
  forget_ended();
  const auto open = open_;
  for (const auto& one : open) {
    one->patience_.reset();
    if (!one->ended_) one->begin();
  }
}

void inquiries::disconnected() {
  const auto open = open_;
  for (const auto& one : open) {
    one->unanswered_ = 0;
    if (!one->ended_) one->interrupted();
    if (!one->ended_) wait(*one);
  }
  forget_ended();
}

void inquiries::watch_fired(std::string_view path, bool deleted) {
  if (open_.empty()) return;
  const auto open = open_;
  for (const auto& one : open)
    if (!one->ended_) one->fired(path, deleted);
}

void inquiries::fail_all(error_code why) {
  for (const auto& one : std::exchange(open_, {}))
    one->fail(why);
}

void inquiries::drop_all() noexcept {
  for (const auto& one : std::exchange(open_, {})) {
    one->ended_ = true;
    one->patience_.reset();
    one->drop();
  }
}

void inquiries::wait(inquiry& one) {
  one.patience_.emplace(client_.strand());
  one.patience_->expires_after(client_.connect_timeout());
  one.patience_->async_wait([weak = one.weak_from_this()](error_code stopped) {
    const auto found = weak.lock();
    if (!stopped && found && found->patience_) found->fail(found->client().trouble());
  });
}

// Those to whom nothing is on its way any more.
void inquiries::forget_ended() {
  std::erase_if(open_, [](const auto& one) { return one->ended_ && one->unanswered_ == 0; });
}

} // namespace zklock::detail
