// How requests are given to the C client.
#include "zookeeper/handle.hpp"
#include "zookeeper/library_call.hpp"

namespace zklock::zookeeper {

handle::request& handle::take_request(receiver& to, request_tag tag, bool writes) {
  if (!free_) {
    free_ = &requests_.emplace_back();
    free_->from = this;
  }
  request& taken = *std::exchange(free_, free_->next);
  taken.to = &to;
  taken.tag = tag;
  taken.sent = boot_clock::now();
  taken.writes = writes;
  return taken;
}

handle::request& handle::read_request(receiver& to, request_tag tag) {
  return take_request(to, tag, false);
}

handle::request& handle::write_request(receiver& to, request_tag tag) {
  return take_request(to, tag, true);
}

void handle::recycle(request& what) noexcept {
  what.parts.reset();
  what.next = std::exchange(free_, &what);
}

void handle::given(request& what, int code) {
  if (code == ZOK) return;
  // No callback will come.
  recycle(what);
  lose(code);
}

void handle::create_directory(const std::string& path, bool container, receiver& to,
                              request_tag tag) {
  request& made = write_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::path);
  given(made,
        zoo_acreate(library_, path.c_str(), "", 0, &access_list_,
                    container ? ZOO_CONTAINER : ZOO_PERSISTENT, &handle::on_directory, &made));
}

void handle::create_entry(const std::string& path, std::string_view data, receiver& to,
                          request_tag tag) {
  request& made = write_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::path_and_stat);
  given(made, zoo_acreate2(library_, path.c_str(), data.empty() ? "" : data.data(),
                           static_cast<int>(data.size()), &access_list_, ZOO_EPHEMERAL_SEQUENTIAL,
                           &handle::on_entry, &made));
}

void handle::remove(const std::string& path, receiver& to, request_tag tag) {
  request& made = write_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::nothing);
  given(made, zoo_adelete(library_, path.c_str(), -1, &handle::on_removed, &made));
}

void handle::list(const std::string& path, bool watch, receiver& to, request_tag tag) {
  request& made = read_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::names_and_stat);
  given(made, zoo_awget_children2(library_, path.c_str(), watch ? &handle::on_event : nullptr, this,
                                  &handle::on_list, &made));
}

void handle::get(const std::string& path, bool watch, receiver& to, request_tag tag) {
  request& made = read_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::data_and_stat);
  given(made, zoo_awget(library_, path.c_str(), watch ? &handle::on_event : nullptr, this,
                        &handle::on_node, &made));
}

void handle::exists(const std::string& path, bool watch, receiver& to, request_tag tag) {
  request& made = read_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::stat);
  given(made, zoo_awexists(library_, path.c_str(), watch ? &handle::on_event : nullptr, this,
                           &handle::on_stat, &made));
}

void handle::remove_watch(const std::string& path, watch_kind kind) {
  // The header says that it takes a pointer to such a function; the C client calls it as one.
  static_assert(sizeof(void_completion_t*) == sizeof(void_completion_t));
  auto* const completion = reinterpret_cast<void_completion_t*>(&handle::on_watch_removed);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::nothing);
  const int code = zoo_aremove_all_watches(
      library_, path.c_str(), kind == watch_kind::node ? ZWATCHTYPE_DATA : ZWATCHTYPE_CHILD, 0,
      completion, this);
  if (code == ZOK) return;
  // One that fired meanwhile is no loss. The request was numbered and is not made.
  if (code == ZNOWATCHER)
    wire_.withdraw_last();
  else
    lose(code);
}

void handle::sync(const std::string& path) {
  library_call call{wire_, said_};
  wire_.expect(answer_shape::path);
  const int code = zoo_async(library_, path.c_str(), &handle::on_sync, this);
  if (code != ZOK) lose(code);
}

void handle::set(const std::string& path, std::string_view data, std::int32_t version, receiver& to,
                 request_tag tag) {
  request& made = write_request(to, tag);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::stat);
  given(made, zoo_aset(library_, path.c_str(), data.empty() ? "" : data.data(),
                       static_cast<int>(data.size()), version, &handle::on_stat, &made));
}

void handle::transact(std::vector<write> writes, receiver& to, request_tag tag) {
  request& made = write_request(to, tag);
  made.parts = std::make_unique<transaction>();
  transaction& parts = *made.parts;
  parts.writes = std::move(writes);
  parts.results.assign(parts.writes.size(), {});
  parts.created.reserve(parts.writes.size());
  operations_.resize(parts.writes.size());
  for (std::size_t i = 0; i < parts.writes.size(); ++i)
    prepare(operations_[i], parts.writes[i], parts);
  library_call call{wire_, said_};
  wire_.expect(answer_shape::results);
  given(made, zoo_amulti(library_, static_cast<int>(operations_.size()), operations_.data(),
                         parts.results.data(), &handle::on_transaction, &made));
}

void handle::prepare(zoo_op_t& operation, const write& one, transaction& parts) {
  // What the servers append to the path of a sequential node.
  constexpr std::size_t longest_number = 11;
  const char* const data = one.data.empty() ? "" : one.data.data();
  const auto size = static_cast<int>(one.data.size());
  switch (one.what) {
  case write::kind::create: {
    wire_.expect_part(answer_shape::path);
    auto& path = parts.created.emplace_back(one.path.size() + longest_number + 1);
    const int flags = (one.ephemeral ? ZOO_EPHEMERAL : 0) | (one.sequential ? ZOO_SEQUENCE : 0);
    return zoo_create_op_init(&operation, one.path.c_str(), data, size, &access_list_, flags,
                              path.data(), static_cast<int>(path.size()));
  }
  case write::kind::remove:
    wire_.expect_part(answer_shape::nothing);
    return zoo_delete_op_init(&operation, one.path.c_str(), one.version);
  case write::kind::set:
    wire_.expect_part(answer_shape::stat);
    return zoo_set_op_init(&operation, one.path.c_str(), data, size, one.version, &parts.stat);
  case write::kind::check:
    wire_.expect_part(answer_shape::nothing);
    return zoo_check_op_init(&operation, one.path.c_str(), one.version);
  }
}

} // namespace zklock::zookeeper
