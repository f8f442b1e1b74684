#include "bare_work.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace bench {

using namespace std::chrono_literals;

namespace {

bare_handover& handover_of(const void* context) {
  return *static_cast<bare_handover*>(const_cast<void*>(context));
}

} // namespace

// The second process is ready once it watches the znode of the first, which can then begin.
bare_handover::bare_handover(bare_worker& worker)
    : worker_(worker),
      ours_(worker.chosen.path + "/" + std::to_string(worker.chosen.index)),
      other_(worker.chosen.path + "/" + std::to_string(1 - worker.chosen.index)) {
  make_ours();
  if (worker.chosen.index == 0) return;
  for (watch_other(); !is_watching_;)
    worker.session.turn(clock::now() + 20ms);
}

void bare_handover::start() {
  if (worker_.chosen.index == 0) take();
}

void bare_handover::run_until(clock::time_point end) {
  while (clock::now() < end) {
    worker_.session.turn(std::min(end, is_watching_ ? ends_ : end));
    if (is_watching_ && clock::now() >= ends_) pass_on();
  }
}

// Sets the watch on the next znode of our peer during our own turn, before the peer can delete it.
void bare_handover::take() {
  current_.started = current_.held = clock::now();
  ends_ = current_.held + worker_.chosen.keep;
  is_watching_ = false;
  watch_other();
}

// Sends the delete alone: the server delays a delete for a request right behind it.
void bare_handover::pass_on() {
  ends_ = clock::time_point::max();
  current_.released = current_.ended = clock::now();
  check(zoo_adelete(worker_.session.handle(), ours_.c_str(), -1, on_deleted, this),
        "delete " + ours_);
  worker_.seen.add(current_);
}

void bare_handover::make_ours() {
  check(zoo_acreate(worker_.session.handle(), ours_.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                    ZOO_EPHEMERAL, on_made, this),
        "create " + ours_);
}

void bare_handover::watch_other() {
  check(zoo_awget(worker_.session.handle(), other_.c_str(), on_watch, this, on_watched, this),
        "watch " + other_);
}

void bare_handover::on_made(int code, const char*, const void* context) {
  if (code != ZCLOSING) check(code, "create " + handover_of(context).ours_);
}

void bare_handover::on_deleted(int code, const void* context) {
  if (code == ZCLOSING) return;
  check(code, "delete " + handover_of(context).ours_);
  handover_of(context).make_ours();
}

void bare_handover::on_watch(zhandle_t*, int type, int, const char*, void* context) {
  if (type == ZOO_DELETED_EVENT) handover_of(context).take();
}

// Retries on ZNONODE: the second process may not have created its znode yet.
void bare_handover::on_watched(int code, const char*, int, const Stat*, const void* context) {
  if (code == ZCLOSING) return;
  if (code == ZNONODE) return handover_of(context).watch_other();
  check(code, "watch " + handover_of(context).other_);
  handover_of(context).is_watching_ = true;
}

} // namespace bench
