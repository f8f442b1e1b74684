// How requests are given to the C client.
#include "zookeeper/handle.hpp"
#include "zookeeper/library_call.hpp"

namespace zklock::zookeeper {

handle::request& handle::read(receiver& to, request_tag tag) {
  if (!free_) {
    free_ = &requests_.emplace_back();
    free_->from = this;
  }
  request& taken = *std::exchange(free_, free_->next);
  taken.to = &to;
  taken.tag = tag;
  taken.sent = {};
  return taken;
}

handle::request& handle::write(receiver& to, request_tag tag) {
  request& taken = read(to, tag);
  taken.sent = boot_clock::now();
  return taken;
}

void handle::recycle(request& what) noexcept {
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
  request& made = write(to, tag);
  library_call call{said_};
  given(made,
        zoo_acreate(library_, path.c_str(), "", 0, &access_list_,
                    container ? ZOO_CONTAINER : ZOO_PERSISTENT, &handle::on_directory, &made));
}

void handle::create_entry(const std::string& path, std::string_view data, receiver& to,
                          request_tag tag) {
  request& made = write(to, tag);
  library_call call{said_};
  given(made, zoo_acreate2(library_, path.c_str(), data.empty() ? "" : data.data(),
                           static_cast<int>(data.size()), &access_list_, ZOO_EPHEMERAL_SEQUENTIAL,
                           &handle::on_entry, &made));
}

void handle::remove(const std::string& path, receiver& to, request_tag tag) {
  request& made = write(to, tag);
  library_call call{said_};
  given(made, zoo_adelete(library_, path.c_str(), -1, &handle::on_removed, &made));
}

void handle::list(const std::string& path, receiver& to, request_tag tag) {
  request& made = read(to, tag);
  library_call call{said_};
  given(made, zoo_aget_children2(library_, path.c_str(), 0, &handle::on_list, &made));
}

void handle::get(const std::string& path, bool watch, receiver& to, request_tag tag) {
  request& made = read(to, tag);
  library_call call{said_};
  given(made, zoo_awget(library_, path.c_str(), watch ? &handle::on_event : nullptr, this,
                        &handle::on_node, &made));
}

void handle::sync(const std::string& path) {
  library_call call{said_};
  const int code = zoo_async(library_, path.c_str(), &handle::on_sync, this);
  if (code != ZOK) lose(code);
}

void handle::check(std::span<const std::string> paths, receiver& to, request_tag tag) {
  request& made = write(to, tag);
  operations_.resize(paths.size());
  made.results.assign(paths.size(), {});
  for (std::size_t i = 0; i < paths.size(); ++i)
    zoo_check_op_init(&operations_[i], paths[i].c_str(), -1);
  library_call call{said_};
  given(made, zoo_amulti(library_, static_cast<int>(paths.size()), operations_.data(),
                         made.results.data(), &handle::on_check, &made));
}

} // namespace zklock::zookeeper
