// Passes requests to the C client.
#include "zookeeper/handle.hpp"
#include "zookeeper/library_call.hpp"

#include <type_traits>
#include <utility>
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

} // namespace

bool handle::send(const request& what, receiver& to, request_tag tag) {
  return std::visit(
      [&]<class Request>(const Request& one) {
        pending& made = take_pending();
        made.to = &to;
        made.tag = tag;
        made.label = {.name = name_of(one)};
        made.sent = boot_clock::now();
        made.writes = writes<Request>;
        const int code = make(one, made);
        if (code == ZOK) return true;
        // The C client does not call back for a request that it refused.
        recycle(made);
        return fail_to_send(made.label.name, code);
      },
      what);
}

bool handle::fail_to_send(const char* name, int code) noexcept {
  if (!lost_) unsent_ = name;
  lose(code);
  return false;
}

handle::pending& handle::take_pending() {
  if (!free_) {
    free_ = &pending_.emplace_back();
    free_->from = this;
  }
  return *std::exchange(free_, free_->next);
}

void handle::recycle(pending& what) noexcept {
  if (what.parts) transactions_.give_back(std::move(what.parts));
  what.next = std::exchange(free_, &what);
}

int handle::make(const create_directory& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::path, made.label.name, made.writes);
  return zoo_acreate(library_, what.path.c_str(), "", 0, &access_list_,
                     what.container ? ZOO_CONTAINER : ZOO_PERSISTENT, &handle::on_directory, &made);
}

int handle::make(const create_entry& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::path_and_stat, made.label.name, made.writes);
  return zoo_acreate2(library_, what.path.c_str(), what.data.empty() ? "" : what.data.data(),
                      static_cast<int>(what.data.size()), &access_list_, ZOO_EPHEMERAL_SEQUENTIAL,
                      &handle::on_entry, &made);
}

int handle::make(const remove& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::nothing, made.label.name, made.writes);
  return zoo_adelete(library_, what.path.c_str(), -1, &handle::on_removed, &made);
}

int handle::make(const list& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::names_and_stat, made.label.name, made.writes);
  return zoo_awget_children2(library_, what.path.c_str(), what.watch ? &handle::on_event : nullptr,
                             this, &handle::on_list, &made);
}

// The C client has no such request: the wire makes it of the list of the root's children.
int handle::make(const list_own&, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::names, made.label.name, made.writes);
  return zoo_aget_children(library_, "/", 0, &handle::on_own, &made);
}

int handle::make(const get& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::data_and_stat, made.label.name, made.writes);
  return zoo_awget(library_, what.path.c_str(), what.watch ? &handle::on_event : nullptr, this,
                   &handle::on_node, &made);
}

int handle::make(const exists& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::stat, made.label.name, made.writes);
  return zoo_awexists(library_, what.path.c_str(), what.watch ? &handle::on_event : nullptr, this,
                      &handle::on_stat, &made);
}

int handle::make(const set& what, pending& made) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::stat, made.label.name, made.writes);
  return zoo_aset(library_, what.path.c_str(), what.data.empty() ? "" : what.data.data(),
                  static_cast<int>(what.data.size()), what.version, &handle::on_stat, &made);
}

int handle::make(const check& what, pending& made) {
  std::vector<write> checks;
  for (const auto& path : what.paths)
    checks.push_back({.what = write::kind::check, .path = path});
  return make(transact{.writes = checks}, made);
}

int handle::make(const confirm&, pending& made) {
  return make(transact{}, made);
}

int handle::make(const transact& what, pending& made) {
  made.parts = transactions_.take();
  transaction_reply& parts = *made.parts;
  parts.results.assign(what.writes.size(), {});
  operations_.resize(what.writes.size());
  for (std::size_t i = 0; i < what.writes.size(); ++i) {
    const write& one = what.writes[i];
    made.label.bytes += one.path.size() + one.data.size() + part_bytes;
    prepare(operations_[i], one, parts);
  }
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::results, made.label.name, made.writes);
  return zoo_amulti(library_, static_cast<int>(operations_.size()), operations_.data(),
                    parts.results.data(), &handle::on_transaction, &made);
}

bool handle::remove_watch(const std::string& path, watch_kind kind) {
  // The header declares a pointer to a function pointer, but the C client calls it as a function.
  static_assert(sizeof(void_completion_t*) == sizeof(void_completion_t));
  auto* const completion = reinterpret_cast<void_completion_t*>(&handle::on_watch_removed);
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::nothing, "remove a watch", false);
  const int code = zoo_aremove_all_watches(
      library_, path.c_str(), kind == watch_kind::node ? ZWATCHTYPE_DATA : ZWATCHTYPE_CHILD, 0,
      completion, this);
  if (code == ZOK) return true;
  // ZNOWATCHER: the watch has triggered meanwhile. The request got its xid but is not sent.
  if (code == ZNOWATCHER) {
    wire_.withdraw_last();
    return false;
  }
  return fail_to_send("remove a watch", code);
}

bool handle::sync(const std::string& path) {
  library_call call{wire_, messages_};
  wire_.expect(reply_layout::path, "sync", false);
  const int code = zoo_async(library_, path.c_str(), &handle::on_sync, this);
  return code == ZOK || fail_to_send("sync", code);
}

void handle::prepare(zoo_op_t& operation, const write& one, transaction_reply& parts) {
  // The longest sequence number, with a sign.
  constexpr std::size_t longest_number = 11;
  const char* const data = one.data.empty() ? "" : one.data.data();
  const auto size = static_cast<int>(one.data.size());
  switch (one.what) {
  case write::kind::create: {
    wire_.expect_part(reply_layout::path);
    if (parts.creates == parts.created.size()) parts.created.emplace_back();
    auto& path = parts.created[parts.creates++];
    path.resize(one.path.size() + longest_number + 1);
    const int flags = (one.ephemeral ? ZOO_EPHEMERAL : 0) | (one.sequential ? ZOO_SEQUENCE : 0);
    return zoo_create_op_init(&operation, one.path.c_str(), data, size, &access_list_, flags,
                              path.data(), static_cast<int>(path.size()));
  }
  case write::kind::remove:
    wire_.expect_part(reply_layout::nothing);
    return zoo_delete_op_init(&operation, one.path.c_str(), one.version);
  case write::kind::set:
    wire_.expect_part(reply_layout::stat);
    return zoo_set_op_init(&operation, one.path.c_str(), data, size, one.version, &parts.stat);
  case write::kind::check:
    wire_.expect_part(reply_layout::nothing);
    return zoo_check_op_init(&operation, one.path.c_str(), one.version);
  }
}

} // namespace zklock::zookeeper
