#include "client/query.hpp"

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/session_requester.hpp"
#include "zookeeper/error_text.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

void open_queries::start(const std::shared_ptr<query>& one) {
  if (over_) return one->fail(*over_);
  if (one->ended_) return;
  one->number_ = ++last_number_;
  open_.emplace(one->number_, one);
  one->started();
  if (one->ended_) return;
  if (session_.connected())
    one->begin();
  else
    wait(*one);
}

void open_queries::connected() {
  for (const auto& one : all()) {
    one->connect_timer_.reset();
    if (!one->ended_) one->begin();
  }
}

void open_queries::disconnected() {
  watching_.clear();
  for (const auto& one : all()) {
    one->unanswered_ = 0;
    one->watched_.clear();
    one->watching_by_.reset();
    if (one->ended_)
      one->forget_if_over();
    else
      one->interrupted();
    if (!one->ended_) wait(*one);
  }
}

void open_queries::watch_fired(std::string_view path, zookeeper::watch_event event) {
  if (watching_.empty()) return;
  std::vector<std::shared_ptr<query>> concerned;
  for (auto [it, end] = watching_.equal_range(std::string(path)); it != end; ++it)
    concerned.push_back(it->second->shared_from_this());
  for (const auto& one : concerned)
    if (!one->ended_) one->fired(event == zookeeper::watch_event::deleted);
}

void open_queries::fail_all(error_code why) {
  over_ = why;
  for (const auto& one : all())
    one->fail(why);
  open_.clear();
}

void open_queries::drop_all() noexcept {
  watching_.clear();
  for (const auto& [number, one] : std::exchange(open_, {})) {
    one->ended_ = true;
    one->connect_timer_.reset();
    one->drop();
  }
}

std::vector<std::shared_ptr<query>> open_queries::all() const {
  std::vector<std::shared_ptr<query>> made;
  made.reserve(open_.size());
  for (const auto& [number, one] : open_)
    made.push_back(one);
  return made;
}

void open_queries::wait(query& one) {
  if (one.lasting()) return;
  one.connect_timer_.emplace(core_.strand());
  one.connect_timer_->expires_after(core_.options().connect_timeout);
  one.connect_timer_->async_wait([weak = one.weak_from_this()](error_code stopped) {
    const auto found = weak.lock();
    if (!stopped && found && found->connect_timer_) found->fail(found->session().connect_error());
  });
}

void open_queries::unwatch(const query& one, const std::string& path) noexcept {
  const auto [begin, end] = watching_.equal_range(path);
  const auto it = std::find_if(begin, end, [&](const auto& each) { return each.second == &one; });
  if (it != end) watching_.erase(it);
}

void open_queries::forget(query& one) noexcept {
  // Destroyed last: the destructor of a query may destroy a handler.
  const auto erased = one.shared_from_this();
  open_.erase(one.number_);
}

query::~query() = default;

zookeeper::session& query::session() noexcept {
  return all_.session().get();
}

void query::fail(error_code why) {
  if (ended_) return;
  const auto self = shared_from_this();
  end();
  failed(why);
}

void query::end() noexcept {
  if (std::exchange(ended_, true)) return;
  connect_timer_.reset();
  unwatch();
  forget_if_over();
}

zookeeper::request_tag query::ask_watching(int what, const std::string& path,
                                           zookeeper::watch_kind kind, bool absent) {
  if (watched_ != path || watched_kind_ != kind) unwatch();
  watched_kind_ = kind;
  watching_by_ = what;
  watches_absent_ = absent;
  if (watched_ != path) all_.watching_.emplace(path, this);
  watched_ = path;
  all_.requester_.watches().asked(this, path, kind);
  return ask(what);
}

void query::unwatch() noexcept {
  if (watched_.empty()) return;
  all_.unwatch(*this, watched_);
  watched_.clear();
  auto& requester = all_.requester_;
  if (watches_own())
    requester.watches().leave(this);
  else
    requester.watches().release(this, requester);
}

// The session refers to the query until the last reply.
void query::forget_if_over() noexcept {
  if (ended_ && unanswered_ == 0) all_.forget(*this);
}

void query::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  const auto self = shared_from_this();
  --unanswered_;
  if (reply.result == zookeeper::status::failed)
    core().log(log_level::error, "refused: " + zookeeper::error_text(reply.error));
  if (watching_by_ == tag.what) {
    watching_by_.reset();
    const bool set = reply.result == zookeeper::status::ok ||
                     (reply.result == zookeeper::status::no_node && watches_absent_);
    all_.requester_.watches().answered(this, watched_, watched_kind_, set);
  }
  if (ended_)
    forget_if_over();
  else
    answered(tag, reply);
}

} // namespace zklock::detail
