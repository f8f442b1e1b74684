#include "client/query.hpp"

#include "client/client_impl.hpp"
#include "zookeeper/error_text.hpp"

#include <utility>

namespace zklock::detail {

query::~query() = default;

zookeeper::session& query::session() noexcept {
  return client_.session();
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
  client_.queries().unwatch(*this);
  client_.queries().forget_if_over(*this);
}

zookeeper::request_tag query::ask_watching(int what, const std::string& path,
                                           zookeeper::watch_kind kind, bool absent) {
  if (watched_ != path || watched_kind_ != kind) client_.queries().unwatch(*this);
  watched_kind_ = kind;
  watching_by_ = what;
  watches_absent_ = absent;
  client_.queries().watch(*this, path);
  client_.locks().watches().asked(this, path, kind);
  return ask(what);
}

void query::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  const auto self = shared_from_this();
  --unanswered_;
  if (reply.result == zookeeper::status::failed)
    client_.log(log_level::error, "refused: " + zookeeper::error_text(reply.error));
  if (watching_by_ == tag.what) {
    watching_by_.reset();
    const bool set = reply.result == zookeeper::status::ok ||
                     (reply.result == zookeeper::status::no_node && watches_absent_);
    client_.locks().watches().answered(this, watched_, watched_kind_, set);
  }
  if (ended_)
    client_.queries().forget_if_over(*this);
  else
    answered(tag, reply);
}

} // namespace zklock::detail
