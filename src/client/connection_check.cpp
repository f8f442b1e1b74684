#include "client/connection_check.hpp"

#include "zookeeper/error_text.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace zklock::detail {

namespace {

enum : int { confirm_session, list_session, check_unknown };

} // namespace

void connection_check::send() {
  session_.get().send(zookeeper::confirm{}, *this, {confirm_session});
  list_own();
}

void connection_check::repeat() {
  if (is_refused_) list_own();
}

// A client that has created no entry has no node to find.
void connection_check::list_own() {
  is_refused_ = false;
  if (locks_.requester().last_entry() != 0 && session_.get().lists_own())
    session_.get().send(zookeeper::list_own{}, *this, {list_session});
}

// An overloaded server fails the write by itself, without the quorum. Replies behind such a write
// would prove nothing; the next connection begins with a write again.
void connection_check::on_reply(zookeeper::request_tag tag,
                                const zookeeper::reply& reply) noexcept {
  if (tag.what == list_session) return listed(reply);
  if (!zookeeper::is_committed(reply))
    return session_.get().reject_server("it does not carry out writes: " +
                                        zookeeper::error_text(reply.error));
  if (tag.what == check_unknown && reply.result == zookeeper::status::ok)
    session_.get().reject_data(std::exchange(unknown_, {}));
}

void connection_check::listed(const zookeeper::reply& reply) {
  is_refused_ = reply.result != zookeeper::status::ok;
  const auto unknown =
      std::find_if(reply.children.begin(), reply.children.end(),
                   [this](std::string_view node) { return !locks_.accounts_for(node); });
  if (unknown == reply.children.end()) return;
  unknown_ = *unknown;
  session_.get().send(zookeeper::check{.paths = std::span(&unknown_, 1)}, *this, {check_unknown});
}

} // namespace zklock::detail
