// The C client's callbacks. They copy their arguments into the inbox and return: no exception may
// pass through C code, and a handle must not be closed or processed inside a callback.
#include "zookeeper/handle.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace zklock::zookeeper {

namespace {

status status_of(int code) {
  switch (code) {
  case ZOK:
    return status::ok;
  case ZNONODE:
    return status::no_node;
  case ZNODEEXISTS:
    return status::node_exists;
  case ZBADVERSION:
    return status::bad_version;
  case ZNOTEMPTY:
    return status::not_empty;
  case ZNOAUTH:
    return status::no_permission;
  case ZNOCHILDRENFOREPHEMERALS:
    return status::parent_is_ephemeral;
  default:
    return status::failed;
  }
}

void add_text(inbox& to, message& owner, const char* text) {
  owner.text_begin = to.text.size();
  to.text.append(text);
  owner.text_size = to.text.size() - owner.text_begin;
}

} // namespace

// No exception may pass through C code: without memory for a message, the connection is lost, and
// the incomplete message is removed.
template <class Function>
void handle::add_message(Function function) noexcept {
  const auto before = inbox_.messages.size();
  try {
    function();
  } catch (const std::bad_alloc&) {
    inbox_.messages.resize(std::min(before, inbox_.messages.size()));
    lose(ZSYSTEMERROR);
  }
}

message* handle::add_reply(int code, const void* data) {
  // The C client's callbacks take const data, but the object is ours.
  auto& done = *static_cast<pending*>(const_cast<void*>(data));
  handle& self = *done.from;
  if (self.detached_) return nullptr;
  self.recycle(done);
  // Without a reply the connection is lost: the C client calls back for all requests, in their
  // order.
  if (!self.wire_.take_reply()) {
    // A server that finds a transaction too large does not reply to the requests before it either.
    if (!self.unanswered_.name || done.label.bytes > self.unanswered_.bytes)
      self.unanswered_ = done.label;
    self.lose(code);
    return nullptr;
  }
  message& added = self.inbox_.messages.emplace_back();
  added.to = done.to;
  added.tag = done.tag;
  added.answer.result = status_of(code);
  added.answer.error = code;
  added.request = done.label;
  added.sent = done.sent;
  added.committed = done.writes && is_committed(added.answer.result);
  return &added;
}

void handle::on_event(zhandle_t*, int type, int, const char* path, void* context) noexcept {
  // Session events only repeat the state of the handle.
  if (type == ZOO_SESSION_EVENT) return;
  auto& self = *static_cast<handle*>(context);
  if (self.detached_) return;
  self.add_message([&] {
    message& added = self.inbox_.messages.emplace_back();
    added.event = type == ZOO_DELETED_EVENT ? watch_event::deleted
                  : type == ZOO_CHILD_EVENT ? watch_event::children
                                            : watch_event::node;
    add_text(self.inbox_, added, path);
  });
}

void handle::on_directory(int code, const char*, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] { add_reply(code, data); });
}

void handle::on_entry(int code, const char* path, const Stat* stat, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] {
    message* const answer = add_reply(code, data);
    if (!answer || code != ZOK) return;
    add_text(static_cast<const pending*>(data)->from->inbox_, *answer, path);
    answer->answer.czxid = stat->czxid;
  });
}

void handle::on_removed(int code, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] { add_reply(code, data); });
}

message* handle::add_names(int code, const String_vector* names, const void* data) {
  message* const answer = add_reply(code, data);
  if (!answer || code != ZOK) return nullptr;
  std::string& text = static_cast<const pending*>(data)->from->inbox_.text;
  answer->text_begin = text.size();
  answer->children = static_cast<std::size_t>(names->count);
  for (std::int32_t i = 0; i < names->count; ++i) {
    text.append(names->data[i]);
    text.push_back('\0');
  }
  answer->text_size = text.size() - answer->text_begin;
  return answer;
}

void handle::on_own(int code, const String_vector* paths, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] { add_names(code, paths, data); });
}

void handle::on_list(int code, const String_vector* names, const Stat* stat,
                     const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] {
    message* const answer = add_names(code, names, data);
    if (!answer) return;
    // Each creation and each deletion increments cversion: cversion + numChildren is twice the
    // number of creations. After 2^30 creations it needs all 32 bits.
    const std::int64_t changes = static_cast<std::uint32_t>(stat->cversion);
    auto& ever = answer->answer.children_ever;
    ever = (changes + stat->numChildren) / 2;
    // Servers give the last number again and again (ZOOKEEPER-3249): a child may have it.
    if (ever == std::numeric_limits<std::int32_t>::max()) ++ever;
  });
}

void handle::on_node(int code, const char* value, int size, const Stat* stat,
                     const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] {
    message* const answer = add_reply(code, data);
    if (!answer || code != ZOK) return;
    std::string& text = static_cast<const pending*>(data)->from->inbox_.text;
    answer->text_begin = text.size();
    answer->has_data = true;
    // The C client gives the size -1 for a node without data.
    if (size > 0) text.append(value, static_cast<std::size_t>(size));
    answer->text_size = text.size() - answer->text_begin;
    answer->answer.version = stat->version;
    answer->answer.created = stat->ctime;
    answer->answer.czxid = stat->czxid;
    answer->answer.ephemeral_owner = stat->ephemeralOwner;
  });
}

void handle::on_stat(int code, const Stat* stat, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] {
    message* const answer = add_reply(code, data);
    if (!answer || code != ZOK) return;
    answer->answer.version = stat->version;
    answer->answer.czxid = stat->czxid;
    answer->answer.ephemeral_owner = stat->ephemeralOwner;
  });
}

void handle::on_watch_removed(int code, const void* data) noexcept {
  on_sync(code, nullptr, data);
}

void handle::on_sync(int code, const char*, const void* data) noexcept {
  auto& self = *static_cast<handle*>(const_cast<void*>(data));
  if (!self.detached_ && !self.wire_.take_reply()) self.lose(code);
}

void handle::on_transaction(int code, const void* data) noexcept {
  static_cast<const pending*>(data)->from->add_message([&] {
    handle& self = *static_cast<const pending*>(data)->from;
    // Taken first: add_reply() recycles the request.
    auto parts = std::move(static_cast<pending*>(const_cast<void*>(data))->parts);
    message* const answer = add_reply(code, data);
    if (!answer) return;
    if (code == ZOK) {
      std::string& text = self.inbox_.text;
      answer->text_begin = text.size();
      answer->children = parts->creates;
      for (std::size_t i = 0; i < parts->creates; ++i) {
        text.append(parts->created[i].data());
        text.push_back('\0');
      }
      answer->text_size = text.size() - answer->text_begin;
      // The C client reads at most one message, and calls back for it, in each call: this is the
      // header of the reply to this transaction.
      answer->answer.transaction = self.wire_.checked().newest_write();
      return self.transactions_.give_back(std::move(parts));
    }
    // Operations that were not tried have an error, too.
    const auto& results = parts->results;
    const auto failed = std::find_if(results.begin(), results.end(),
                                     [code](const auto& result) { return result.err == code; });
    answer->answer.is_refused_whole = failed == results.end();
    answer->committed &= !answer->answer.is_refused_whole;
    if (failed != results.end())
      answer->answer.first_failed = static_cast<std::size_t>(failed - results.begin());
    self.transactions_.give_back(std::move(parts));
  });
}

} // namespace zklock::zookeeper
