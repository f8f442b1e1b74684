#include "zookeeper/reply_reader.hpp"

#include "zookeeper/transaction_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

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

reply_reader& reader_of(const void* context) {
  // The C client's callbacks take a const context, but the object is ours.
  return *static_cast<reply_reader*>(const_cast<void*>(context));
}

void copy(const Stat& from, reply& to) {
  to.version = from.version;
  to.czxid = from.czxid;
  to.ephemeral_owner = from.ephemeralOwner;
}

} // namespace

// Returns null if there is no reply to deliver.
exchange* reply_reader::finish(int code) {
  if (detached_) return nullptr;
  exchange& done = sent_.oldest();
  if (!sent_.is_accepted()) {
    // A server that finds a transaction too large does not reply to the requests before it either.
    if (!unanswered_.name || done.label.bytes > unanswered_.bytes) unanswered_ = done.label;
    drop(code);
    return nullptr;
  }
  sent_.deliver_oldest();
  done.answer.result = status_of(code);
  done.answer.error = code;
  done.committed = done.writes && is_committed(done.answer.result);
  return &done;
}

void reply_reader::drop(int code) noexcept {
  if (detached_) return;
  if (!sent_.is_accepted()) end_.lose(code);
  sent_.drop_oldest();
}

void reply_reader::on_event(zhandle_t*, int type, int, const char* path, void* context) noexcept {
  // Session events only repeat the state of the handle.
  if (type == ZOO_SESSION_EVENT) return;
  auto& self = reader_of(context);
  if (self.detached_) return;
  exchange& added = self.sent_.add_event();
  added.event = type == ZOO_DELETED_EVENT ? watch_event::deleted
                : type == ZOO_CHILD_EVENT ? watch_event::children
                                          : watch_event::node;
  added.text = path;
}

void reply_reader::on_directory(int code, const char*, const void* context) noexcept {
  reader_of(context).finish(code);
}

void reply_reader::on_entry(int code, const char* path, const Stat* stat,
                            const void* context) noexcept {
  exchange* const done = reader_of(context).finish(code);
  if (!done || code != ZOK) return;
  done->text = path;
  done->answer.path = done->text;
  done->answer.czxid = stat->czxid;
}

void reply_reader::on_removed(int code, const void* context) noexcept {
  reader_of(context).finish(code);
}

exchange* reply_reader::finish_names(int code, const String_vector* names) {
  exchange* const done = finish(code);
  if (!done || code != ZOK) return nullptr;
  const std::span all(names->data, static_cast<std::size_t>(names->count));
  std::size_t size = 0;
  done->names.reserve(all.size());
  for (const char* const each : all)
    size += done->names.emplace_back(each).size();
  // Views of the C client's memory become views of the text, which must not move meanwhile.
  done->text.reserve(size);
  for (auto& each : done->names) {
    const char* const copied = done->text.data() + done->text.size();
    done->text.append(each);
    each = {copied, each.size()};
  }
  done->answer.children = done->names;
  return done;
}

void reply_reader::on_own(int code, const String_vector* paths, const void* context) noexcept {
  reader_of(context).finish_names(code, paths);
}

void reply_reader::on_list(int code, const String_vector* names, const Stat* stat,
                           const void* context) noexcept {
  exchange* const done = reader_of(context).finish_names(code, names);
  if (!done) return;
  // Each creation and each deletion increments cversion: cversion + numChildren is twice the
  // number of creations. After 2^30 creations it needs all 32 bits.
  const std::int64_t changes = static_cast<std::uint32_t>(stat->cversion);
  auto& ever = done->answer.children_ever;
  ever = (changes + stat->numChildren) / 2;
  // Servers give the last number again and again (ZOOKEEPER-3249): a child may have it.
  if (ever == std::numeric_limits<std::int32_t>::max()) ++ever;
}

void reply_reader::on_node(int code, const char* value, int size, const Stat* stat,
                           const void* context) noexcept {
  exchange* const done = reader_of(context).finish(code);
  if (!done || code != ZOK) return;
  // The C client gives the size -1 for a node without data.
  if (size > 0) done->text.assign(value, static_cast<std::size_t>(size));
  done->answer.data = done->text;
  done->answer.created = stat->ctime;
  copy(*stat, done->answer);
}

void reply_reader::on_watch_removed(int code, const void* context) noexcept {
  reader_of(context).drop(code);
}

void reply_reader::on_sync(int code, const char*, const void* context) noexcept {
  reader_of(context).drop(code);
}

void reply_reader::on_stat(int code, const Stat* stat, const void* context) noexcept {
  exchange* const done = reader_of(context).finish(code);
  if (done && code == ZOK) copy(*stat, done->answer);
}

void reply_reader::on_transaction(int code, const void* context) noexcept {
  auto& self = reader_of(context);
  exchange* const done = self.finish(code);
  if (!done) return;
  const transaction_memory& memory = *done->transaction;
  // The C client passes over ZRUNTIMEINCONSISTENCY, the error of operations that were not tried. A
  // transaction whose operation has failed with that error would look committed.
  if (code == ZOK)
    if (const auto failed = std::find_if(memory.results.begin(), memory.results.end(),
                                         [](const auto& result) { return result.err != ZOK; });
        failed != memory.results.end()) {
      code = failed->err;
      done->answer.result = status_of(code);
      done->answer.error = code;
      done->committed = is_committed(done->answer.result);
    }
  if (code == ZOK) {
    for (std::size_t i = 0; i < memory.creates; ++i)
      done->names.emplace_back(memory.created[i].data());
    done->answer.children = done->names;
    // Each call of the C client reads at most a single message, and calls back for it: the newest
    // write is this transaction.
    done->answer.transaction = self.checked_.newest_write();
    return;
  }
  // Operations that were not tried have an error, too.
  const auto failed = std::find_if(memory.results.begin(), memory.results.end(),
                                   [code](const auto& result) { return result.err == code; });
  done->answer.is_refused_whole = failed == memory.results.end();
  done->committed &= !done->answer.is_refused_whole;
  if (failed != memory.results.end())
    done->answer.first_failed = static_cast<std::size_t>(failed - memory.results.begin());
}

} // namespace zklock::zookeeper
