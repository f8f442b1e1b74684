#include "zookeeper/request_writer.hpp"

#include "zookeeper/library_call.hpp"
#include "zookeeper/transaction_memory.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <variant>

namespace zklock::zookeeper {

namespace {

// Whether the request is a transaction of the quorum.
template <class Request>
constexpr bool writes = !std::is_same_v<Request, list> && !std::is_same_v<Request, list_own> &&
                        !std::is_same_v<Request, get> && !std::is_same_v<Request, exists>;

// As in "a request to ...".
const char* name_of(const create_directory& what) noexcept {
  return what.container ? "create a container" : "create a directory";
}
const char* name_of(const create_entry&) noexcept {
  return "create an entry";
}
const char* name_of(const remove&) noexcept {
  return "delete a node";
}
const char* name_of(const list&) noexcept {
  return "list children";
}
const char* name_of(const list_own&) noexcept {
  return list_own_label;
}
const char* name_of(const get&) noexcept {
  return "read a node";
}
const char* name_of(const exists&) noexcept {
  return "look for a node";
}
const char* name_of(const set&) noexcept {
  return "write to a node";
}
const char* name_of(const check&) noexcept {
  return "check nodes";
}
const char* name_of(const transact&) noexcept {
  return "commit a transaction";
}
const char* name_of(const confirm&) noexcept {
  return "commit nothing";
}

ACL entry(const access& from) {
  // The C client's structure has no const. The C client copies both strings.
  return {from.permissions,
          {const_cast<char*>(from.scheme.c_str()), const_cast<char*>(from.id.c_str())}};
}

} // namespace

request_writer::request_writer(zhandle_t* library, wire& through, exchanges& sent,
                               reply_reader& replies, handle_end& end,
                               const std::vector<access>& access_list)
    : library_(library), wire_(through), sent_(sent), replies_(replies), end_(end) {
  access_.reserve(access_list.size());
  for (const auto& each : access_list)
    access_.push_back(entry(each));
  access_list_ = {static_cast<std::int32_t>(access_.size()), access_.data()};
}

bool request_writer::send(const request& what, receiver& to, request_tag tag) {
  return std::visit(
      [&]<class Request>(const Request& one) {
        exchange& made = sent_.add();
        made.to = &to;
        made.tag = tag;
        made.label = {.name = name_of(one)};
        made.sent = boot_clock::now();
        made.writes = writes<Request>;
        const int code = make(one, made);
        if (code == ZOK) return true;
        // The C client does not call back for a request that it refused.
        end_.cannot_send(made.label.name, code);
        sent_.withdraw();
        return false;
      },
      what);
}

int request_writer::make(const create_directory& what, exchange& made) {
  made.layout = reply_layout::path;
  library_call call{wire_, end_.logged()};
  return zoo_acreate(library_, what.path.c_str(), "", 0, &access_list_,
                     what.container ? ZOO_CONTAINER : ZOO_PERSISTENT, &reply_reader::on_directory,
                     &replies_);
}

int request_writer::make(const create_entry& what, exchange& made) {
  made.layout = reply_layout::path_and_stat;
  library_call call{wire_, end_.logged()};
  return zoo_acreate2(library_, what.path.c_str(), what.data.empty() ? "" : what.data.data(),
                      static_cast<int>(what.data.size()), &access_list_, ZOO_EPHEMERAL_SEQUENTIAL,
                      &reply_reader::on_entry, &replies_);
}

int request_writer::make(const remove& what, exchange& made) {
  made.layout = reply_layout::nothing;
  library_call call{wire_, end_.logged()};
  return zoo_adelete(library_, what.path.c_str(), -1, &reply_reader::on_removed, &replies_);
}

int request_writer::make(const list& what, exchange& made) {
  made.layout = reply_layout::names_and_stat;
  library_call call{wire_, end_.logged()};
  return zoo_awget_children2(library_, what.path.c_str(), watcher(what.watch), &replies_,
                             &reply_reader::on_list, &replies_);
}

// The C client has no such request. The wire turns a list of the root's children into it.
int request_writer::make(const list_own&, exchange& made) {
  made.layout = reply_layout::names;
  library_call call{wire_, end_.logged()};
  return zoo_aget_children(library_, "/", 0, &reply_reader::on_own, &replies_);
}

int request_writer::make(const get& what, exchange& made) {
  made.layout = reply_layout::data_and_stat;
  library_call call{wire_, end_.logged()};
  return zoo_awget(library_, what.path.c_str(), watcher(what.watch), &replies_,
                   &reply_reader::on_node, &replies_);
}

int request_writer::make(const exists& what, exchange& made) {
  made.layout = reply_layout::stat;
  library_call call{wire_, end_.logged()};
  return zoo_awexists(library_, what.path.c_str(), watcher(what.watch), &replies_,
                      &reply_reader::on_stat, &replies_);
}

int request_writer::make(const set& what, exchange& made) {
  made.layout = reply_layout::stat;
  library_call call{wire_, end_.logged()};
  return zoo_aset(library_, what.path.c_str(), what.data.empty() ? "" : what.data.data(),
                  static_cast<int>(what.data.size()), what.version, &reply_reader::on_stat,
                  &replies_);
}

int request_writer::make(const check& what, exchange& made) {
  std::vector<write> checks;
  for (const auto& path : what.paths)
    checks.push_back({.what = write::kind::check, .path = path});
  return make(transact{.writes = checks}, made);
}

int request_writer::make(const confirm&, exchange& made) {
  return make(transact{}, made);
}

int request_writer::make(const transact& what, exchange& made) {
  made.layout = reply_layout::results;
  if (!made.transaction) made.transaction = std::make_unique<transaction_memory>();
  made.transaction->creates = 0;
  made.transaction->results.assign(what.writes.size(), {});
  operations_.resize(what.writes.size());
  for (std::size_t i = 0; i < what.writes.size(); ++i) {
    const write& one = what.writes[i];
    made.label.bytes += one.path.size() + one.data.size() + part_bytes;
    prepare(operations_[i], one, made);
  }
  library_call call{wire_, end_.logged()};
  return zoo_amulti(library_, static_cast<int>(operations_.size()), operations_.data(),
                    made.transaction->results.data(), &reply_reader::on_transaction, &replies_);
}

void request_writer::prepare(zoo_op_t& operation, const write& one, exchange& made) {
  // The longest sequence number, with a sign.
  constexpr std::size_t longest_number = 11;
  const char* const data = one.data.empty() ? "" : one.data.data();
  const auto size = static_cast<int>(one.data.size());
  switch (one.what) {
  case write::kind::create: {
    made.parts.push_back(reply_layout::path);
    auto& [results, created, creates, stat] = *made.transaction;
    if (creates == created.size()) created.emplace_back();
    auto& path = created[creates++];
    path.resize(one.path.size() + longest_number + 1);
    const int flags = (one.ephemeral ? ZOO_EPHEMERAL : 0) | (one.sequential ? ZOO_SEQUENCE : 0);
    return zoo_create_op_init(&operation, one.path.c_str(), data, size, &access_list_, flags,
                              path.data(), static_cast<int>(path.size()));
  }
  case write::kind::remove:
    made.parts.push_back(reply_layout::nothing);
    return zoo_delete_op_init(&operation, one.path.c_str(), one.version);
  case write::kind::set:
    made.parts.push_back(reply_layout::stat);
    return zoo_set_op_init(&operation, one.path.c_str(), data, size, one.version,
                           &made.transaction->stat);
  case write::kind::check:
    made.parts.push_back(reply_layout::nothing);
    return zoo_check_op_init(&operation, one.path.c_str(), one.version);
  }
}

bool request_writer::remove_watch(const std::string& path, watch_kind kind) {
  // The header declares a pointer to a function pointer, but the C client calls it as a function.
  static_assert(sizeof(void_completion_t*) == sizeof(void_completion_t));
  auto* const completion = reinterpret_cast<void_completion_t*>(&reply_reader::on_watch_removed);
  sent_.add().label = {.name = "remove a watch"};
  library_call call{wire_, end_.logged()};
  const int code = zoo_aremove_all_watches(
      library_, path.c_str(), kind == watch_kind::node ? ZWATCHTYPE_DATA : ZWATCHTYPE_CHILD, 0,
      completion, &replies_);
  if (code == ZOK) return true;
  sent_.withdraw();
  // ZNOWATCHER: the watch has triggered meanwhile. The request got its xid but is not sent.
  if (code != ZNOWATCHER) end_.cannot_send("remove a watch", code);
  return false;
}

bool request_writer::sync(const std::string& path) {
  exchange& made = sent_.add();
  made.label = {.name = "sync"};
  made.layout = reply_layout::path;
  library_call call{wire_, end_.logged()};
  const int code = zoo_async(library_, path.c_str(), &reply_reader::on_sync, &replies_);
  if (code == ZOK) return true;
  sent_.withdraw();
  end_.cannot_send("sync", code);
  return false;
}

} // namespace zklock::zookeeper
