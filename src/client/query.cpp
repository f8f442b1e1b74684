#include "client/query.hpp"

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/session_requester.hpp"
#include "zookeeper/error_text.hpp"

#include <utility>

namespace zklock::detail {

query::~query() = default;

zookeeper::session& query::session() noexcept {
  return around_.session().get();
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
  if (watched_ != path) around_.watch(*this, path);
  watched_ = path;
  around_.requester().watches().asked(this, path, kind);
  return ask(what);
}

void query::unwatch() noexcept {
  if (watched_.empty()) return;
  around_.unwatch(*this, watched_);
  watched_.clear();
  auto& requester = around_.requester();
  if (watches_own())
    requester.watches().leave(this);
  else
    requester.watches().release(this, requester);
}

// The session refers to the query until the last reply.
void query::forget_if_over() noexcept {
  if (ended_ && unanswered_ == 0) around_.forget(*this);
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
    around_.requester().watches().answered(this, watched_, watched_kind_, set);
  }
  if (ended_)
    forget_if_over();
  else
    answered(tag, reply);
}

} // namespace zklock::detail
