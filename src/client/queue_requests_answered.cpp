// What replies mean to the requests in flight.

#include "client/queue_requests.hpp"
#include "client/watch_registry.hpp"
#include "zookeeper/error_text.hpp"

#include <utility>

namespace zklock::detail {

using queue::answer;
using zookeeper::watch_kind;

namespace {

template <class Waiting>
auto take_first(Waiting& in_flight) {
  auto first = std::move(in_flight.front());
  in_flight.pop_front();
  return first;
}

} // namespace

void queue_requests::answered(zookeeper::request_tag tag, const zookeeper::reply& reply) {
  const auto what = static_cast<kind>(tag.what);
  --in_flight_.count;
  log_failure(what, reply);
  watch_answered(what, reply.result);
  write_answered(what, reply.result);
  if (what == kind::make_directory) note_made(tag.which, reply.result);
  if (what == kind::create && reply.result == zookeeper::status::no_node) made_.reset();
}

// A request that is sent again and fails again is logged once.
void queue_requests::log_failure(kind what, const zookeeper::reply& reply) {
  if (reply.result == zookeeper::status::failed) {
    if (std::exchange(told_failure_, what) == what) return;
    requester_.log_error(lock_.line + ": refused: " + zookeeper::error_text(reply.error));
  } else if (told_failure_ == what) {
    told_failure_.reset();
  }
}

void queue_requests::watch_answered(kind what, zookeeper::status result) {
  const bool set = result == zookeeper::status::ok;
  auto& watches = requester_.watches();
  switch (what) {
  case kind::watch:
    return watches.answered(&receiver_, lock_.line + '/' + in_flight_.watches.front(),
                            watch_kind::node, set);
  case kind::watch_data: {
    const auto node = take_first(in_flight_.data_watches);
    // The servers give no later node the name of an entry.
    if (result == zookeeper::status::no_node)
      return watches.answered_too_late(&receiver_, node, watch_kind::node, requester_);
    return watches.answered(&receiver_, node, watch_kind::node, set);
  }
  case kind::watch_directory:
    watches_directory_ = set;
    return watches.answered(&receiver_, lock_.line, watch_kind::node, set);
  case kind::list_and_watch:
    return watches.answered(&receiver_, lock_.line, watch_kind::children, set);
  case kind::list_permits:
    return watches.answered(&receiver_, lock_.permits, watch_kind::children, set);
  case kind::ask_limit:
    return watches.answered(&receiver_, lock_.limit_node, watch_kind::node, set);
  default:
    return;
  }
}

void queue_requests::write_answered(kind what, zookeeper::status result) noexcept {
  switch (what) {
  case kind::create:
  case kind::remove:
  case kind::give_back:
  case kind::check:
    writes_succeed_ = result == zookeeper::status::ok;
    return;
  default:
    return;
  }
}

void queue_requests::note_made(std::size_t which, zookeeper::status result) noexcept {
  if (result == zookeeper::status::ok && requester_.containers()) made_.set(which);
}

std::string queue_requests::take_watch() {
  return take_first(in_flight_.watches);
}

std::string queue_requests::take_orphan() {
  return take_first(in_flight_.orphans);
}

queue::action queue_requests::take_check() {
  return take_first(in_flight_.checks);
}

// A failure that may pass counts before a lasting failure, since all deletes are then sent again.
std::optional<answer> queue_requests::permit_removed(queue::entry_id id, answer result) {
  const auto it = in_flight_.permits.find(id);
  auto& [left, worst] = it->second;
  const bool bad = result != answer::ok && result != answer::no_node;
  if (bad && worst != answer::failed && worst != answer::undone) worst = result;
  if (--left != 0) return std::nullopt;
  if (worst != answer::ok) result = worst;
  in_flight_.permits.erase(it);
  return result;
}

bool queue_requests::parent_made(zookeeper::status result) {
  if (const auto asked = parents_.next(); asked == lock_.line)
    note_made(made_line, result);
  else if (asked == lock_.full)
    note_made(made_full, result);
  if (parents_.answered(result)) {
    make(parents_.next(), kind::make_parents);
    return false;
  }
  // Whether the other directory exists shows at the requests that use it.
  const bool exists = result == zookeeper::status::ok || result == zookeeper::status::node_exists;
  if (exists && lock_.has_permits()) make(lock_.permits, kind::make_directory, made_permits);
  return true;
}

} // namespace zklock::detail
