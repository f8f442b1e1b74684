#include "bare_work.hpp"

namespace bench {

namespace {

bare_loop& loop_of(const void* context) {
  return *static_cast<bare_loop*>(const_cast<void*>(context));
}

void ignore_deleted(int code, const void*) {
  if (code != ZCLOSING) check(code, "delete");
}

} // namespace

bare_loop::bare_loop(bare_worker& worker, std::size_t waiter)
    : worker_(worker), directory_(lock_of(worker.chosen, waiter)) {
  if (worker.chosen.mode != work::first_use) worker.session.make(directory_);
}

void bare_loop::start() {
  zhandle_t* const handle = worker_.session.handle();
  parent_ = directory_;
  current_.started = clock::now();
  if (worker_.chosen.mode == work::first_use) {
    parent_ += "-" + std::to_string(turn_++);
    check(zoo_acreate(handle, parent_.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_CONTAINER,
                      on_directory, this),
          "create " + parent_);
  }
  check(zoo_acreate(handle, (parent_ + "/lock-").c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                    ZOO_EPHEMERAL_SEQUENTIAL, on_created, this),
        "create in " + parent_);
}

void bare_loop::on_directory(int code, const char*, const void* context) {
  if (code != ZCLOSING) check(code, "create " + loop_of(context).parent_);
}

void bare_loop::on_created(int code, const char* name, const void* context) {
  if (code == ZCLOSING) return;
  check(code, "create in " + loop_of(context).parent_);
  loop_of(context).created(name);
}

void bare_loop::created(const std::string& name) {
  current_.held = current_.released = clock::now();
  const bool waits = worker_.chosen.mode != work::background;
  check(zoo_adelete(worker_.session.handle(), name.c_str(), -1, waits ? on_deleted : ignore_deleted,
                    this),
        "delete " + name);
  if (waits) return;
  current_.ended = clock::now();
  worker_.seen.add(current_);
  start();
}

void bare_loop::on_deleted(int code, const void* context) {
  if (code == ZCLOSING) return;
  check(code, "delete");
  bare_loop& loop = loop_of(context);
  loop.current_.ended = clock::now();
  loop.worker_.seen.add(loop.current_);
  loop.start();
}

} // namespace bench
