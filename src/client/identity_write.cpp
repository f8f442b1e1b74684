#include "client/identity_write.hpp"

#include "client/client_locks.hpp"
#include "client/release_request.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

using zookeeper::status;

void identity_write::cancel(const operation<error_code>& op) {
  const auto found = std::find(waiting_.begin(), waiting_.end(), op);
  if (found == waiting_.end()) return;
  covered_ -= static_cast<std::size_t>(found - waiting_.begin()) < covered_;
  waiting_.erase(found);
  op->post(asio::error::operation_aborted);
}

void identity_write::drop() noexcept {
  for (const auto& op : std::exchange(waiting_, {})) {
    if (op->elsewhere()) op->post(errc::closed);
    op->drop();
  }
}

// A refusal by any other error is logged for each query.
void identity_write::failed(error_code why) {
  if (waiting_.empty() && why == errc::no_permission)
    core().log(log_level::error, "no permission to write the identity into " + node_);
  for (const auto& op : std::exchange(waiting_, {}))
    op->post(why);
}

// The outcome of a write of an earlier connection is not known.
void identity_write::begin() {
  node_.empty() ? send_write() : send_read();
}

const std::string& identity_write::wanted() const noexcept {
  const auto& identity = held_->waits().data().identity;
  return identity ? *identity : core().options().identity;
}

void identity_write::send_read() {
  node_ = held_->node();
  session().send(zookeeper::get{.path = node_}, *this, ask(read));
}

void identity_write::send_write() {
  held_data& data = held_->waits().data();
  node_ = held_->node();
  sent_ = data.identity;
  covered_ = waiting_.size();
  data.kept_before = data.kept;
  if (data.kept) {
    data.kept->data = compose_release_request(data.kept->requester, wanted());
    data.kept->written = data.version + 1;
  }
  session().send(zookeeper::set{.path = node_,
                                .data = data.kept ? data.kept->data : wanted(),
                                .version = data.version++},
                 *this, ask(write));
}

void identity_write::answered(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  // The reply to a replacement of the node by this client comes before.
  if (held_->node() != node_) return send_read();
  if (reply.result == status::no_node) return missing();
  if (tag.what == write && reply.result == status::bad_version) return send_read();
  if (reply.result == status::no_permission) return fail(errc::no_permission);
  if (reply.result != status::ok) return fail(errc::refused);
  tag.what == write ? written() : looked(reply);
}

void identity_write::looked(const zookeeper::reply& reply) {
  held_data& data = held_->waits().data();
  auto request = parse_release_request(reply.data);
  const auto asked = data.version_of_request(reply.version, reply.data);
  data.version = reply.version;
  data.kept.reset();
  if (request)
    data.kept = {.requester = std::move(request->requester),
                 .version = asked,
                 .written = reply.version,
                 .data = std::string(reply.data)};
  const bool is_written =
      reply.data == (request ? compose_release_request(data.kept->requester, wanted()) : wanted());
  if (!is_written) return send_write();
  sent_ = data.identity;
  covered_ = waiting_.size();
  written();
}

void identity_write::written() {
  const bool is_newest = sent_ == held_->waits().data().identity;
  const auto done =
      waiting_.begin() + static_cast<std::ptrdiff_t>(is_newest ? waiting_.size() : covered_);
  const std::vector<operation<error_code>> ended(waiting_.begin(), done);
  waiting_.erase(waiting_.begin(), done);
  is_newest ? end() : send_write();
  for (const auto& op : ended)
    op->post({});
}

void identity_write::missing() {
  if (auto* const driver = locks().find_driver(*held_->path())) driver->node_gone(node_);
  // As a rule the loss of the hold has ended the write.
  if (!is_over()) fail(errc::entry_deleted);
}

void write_identity(open_queries& all, acquisition& held, queue::identity_pointer identity,
                    operation<error_code> op) {
  held_data& data = held.waits().data();
  data.identity = std::move(identity);
  auto writer = data.writer.lock();
  const bool is_under_way = writer && !writer->is_over();
  if (!is_under_way) {
    writer = std::make_shared<identity_write>(all, held.shared_from_this());
    data.writer = writer;
    held.waits().add(writer);
  }
  if (op) writer->add(std::move(op));
  if (!is_under_way) all.start(writer);
}

} // namespace zklock::detail
