#include "client/connection_check.hpp"

#include "zookeeper/error_text.hpp"

#include <span>
#include <utility>

namespace zklock::detail {

enum : int { confirm_session, list_session, check_unknown };

// A server answers a read from its own data, and so does a leader with a sync; a deposed leader
// goes on doing so until it notices. The data may be older than data that this client has seen
// already, and may lack the client's own entries. A write is answered once a quorum has committed
// the write and the server has applied it, and the requests of a connection are answered in order:
// data that is read behind this write is no older than any data seen before, and a server without a
// quorum does not answer at all. A new session needs no such check: the session itself was made by
// a write.
void connection_check::send() {
  session_.get().send(zookeeper::confirm{}, *this, {confirm_session});
  list_own();
}

void connection_check::repeat() {
  if (lacks_list_) list_own();
}

// A client that has created no entry has no node to find.
void connection_check::list_own() {
  const bool is_needed = locks_.requester().last_entry() != 0;
  lacks_list_ = is_needed && !session_.get().lists_own();
  if (is_needed && !lacks_list_) session_.get().send(zookeeper::list_own{}, *this, {list_session});
}

// An overloaded server fails the write by itself, without the quorum. Replies behind such a write
// would prove nothing; the next connection begins with a write again.
void connection_check::on_reply(zookeeper::request_tag tag,
                                const zookeeper::reply& reply) noexcept {
  if (tag.what == list_session) return listed(reply);
  if (!zookeeper::is_committed(reply))
    return session_.get().reject_server("it does not carry out writes: " +
                                        zookeeper::error_text(reply.error));
  if (tag.what != check_unknown) return;
  if (reply.result == zookeeper::status::ok)
    return session_.get().reject_data(std::move(unknown_.back()));
  unknown_.pop_back();
  check_next();
}

// If the servers come back with older data, nodes that the client has deleted may exist again, and
// would block their locks for as long as the session lives. No smaller request finds all such
// nodes: a node that was deleted long ago may be back while all newer nodes are lost. The list is
// read behind the write, so a server that has not lost a confirmed delete does not show the node. A
// node in the list belongs to an entry or an orphan, was made late by a write of a lost connection,
// or is unknown: the program has made it, or older data. Names tell nodes of the client from nodes
// of the program. The quorum then checks the unknown nodes in turn, until it has such a node:
// the connected server alone may have a node.
void connection_check::listed(const zookeeper::reply& reply) {
  lacks_list_ = reply.result != zookeeper::status::ok;
  unknown_.clear();
  for (const std::string_view node : reply.children)
    if (!locks_.accounts_for(node)) unknown_.emplace_back(node);
  check_next();
}

void connection_check::check_next() {
  if (unknown_.empty()) return;
  const std::span node(&unknown_.back(), 1);
  session_.get().send(zookeeper::check{.paths = node}, *this, {check_unknown});
}

} // namespace zklock::detail
