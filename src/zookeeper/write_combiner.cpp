#include "zookeeper/write_combiner.hpp"

#include <new>
#include <span>
#include <utility>
#include <variant>

namespace zklock::zookeeper {

namespace {

constexpr std::size_t most_writes = 128;

} // namespace

void write_combiner::batch::clear() noexcept {
  parts.clear();
  used = bytes = 0;
}

write& write_combiner::batch::add(std::size_t index) {
  if (used + index == writes.size()) writes.emplace_back();
  return writes[used + index];
}

bool write_combiner::hold(const request& what, receiver& to, request_tag tag) noexcept {
  try {
    return std::visit([&](const auto& one) { return add(one, to, tag); }, what);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool write_combiner::add(const create_entry& what, receiver& to, request_tag tag) {
  if (!what.may_combine) return false;
  if (to.last_create_ == held_.front().number) flush();
  const auto bytes = what.path.size() + what.data.size() + part_bytes + access_bytes_;
  batch& into = with_room(1, bytes);
  write& one = into.add(0);
  one.what = write::kind::create;
  one.path = what.path;
  one.data = what.data;
  one.ephemeral = one.sequential = true;
  append(into, {&to, tag, into.used, 1}, bytes);
  to.last_create_ = into.number;
  return true;
}

bool write_combiner::add(const remove& what, receiver& to, request_tag tag) {
  if (!what.may_combine) return false;
  const auto bytes = what.path.size() + part_bytes;
  batch& into = with_room(1, bytes);
  write& one = into.add(0);
  one.what = write::kind::remove;
  one.path = what.path;
  one.data.clear();
  one.version = -1;
  append(into, {&to, tag, into.used, 1}, bytes);
  return true;
}

bool write_combiner::add(const transact& what, receiver& to, request_tag tag) {
  if (!what.may_combine) return false;
  std::size_t bytes = 0;
  for (const auto& each : what.writes)
    bytes += each.path.size() + each.data.size() + part_bytes;
  batch& into = with_room(what.writes.size(), bytes);
  for (std::size_t i = 0; i < what.writes.size(); ++i)
    into.add(i) = what.writes[i];
  append(into, {&to, tag, into.used, what.writes.size()}, bytes);
  return true;
}

write_combiner::batch& write_combiner::with_room(std::size_t count, std::size_t bytes) {
  const batch& now = held_.front();
  if (now.used + count > most_writes || now.bytes + bytes > outlet_.most_bytes()) flush();
  batch& into = held_.front();
  if (into.parts.empty()) into.number = ++last_;
  return into;
}

void write_combiner::append(batch& to, part added, std::size_t bytes) {
  to.parts.push_back(added);
  to.used += added.count;
  to.bytes += bytes;
}

// The last parts, if they are of the receiver whose request follows, are sent alone: a create that
// a list follows must not be undone because of another lock.
void write_combiner::flush(const receiver* next) noexcept {
  batch& now = held_.front();
  if (now.parts.empty()) return;
  auto together = now.parts.size();
  while (together != 0 && now.parts[together - 1].to == next)
    --together;
  try {
    const bool sent = together > 1 && send_together(now, together);
    for (std::size_t i = sent ? together : 0; i < now.parts.size(); ++i)
      send_alone(now, i);
    if (sent) now.parts.resize(together, now.parts.front());
  } catch (const std::bad_alloc&) {
    outlet_.give_up_connection("no memory for a transaction");
  }
  held_.front().clear();
}

// Without memory for it, the parts are sent alone, which takes less.
bool write_combiner::send_together(batch& of, std::size_t count) {
  const part& last = of.parts[count - 1];
  try {
    if (free_.empty()) free_.emplace_back();
    outlet_.send_now(transact{.writes = std::span(of.writes).first(last.begin + last.count)}, *this,
                     {});
  } catch (const std::bad_alloc&) {
    return false;
  }
  in_flight_.splice(in_flight_.end(), held_);
  held_.splice(held_.end(), free_, free_.begin());
  return true;
}

void write_combiner::send_alone(const batch& of, std::size_t begin) {
  const part& one = of.parts[begin];
  const auto writes = std::span(of.writes).subspan(one.begin, one.count);
  const write& first = writes.front();
  if (one.count != 1)
    outlet_.send_now(transact{.writes = writes}, *one.to, one.tag);
  else if (first.what == write::kind::create)
    outlet_.send_now(create_entry{.path = first.path, .data = first.data}, *one.to, one.tag);
  else
    outlet_.send_now(remove{.path = first.path}, *one.to, one.tag);
}

void write_combiner::on_reply(request_tag, const reply& answer) noexcept {
  // Taken out: what the receivers do may send or forget other batches.
  std::list<batch> done;
  done.splice(done.end(), in_flight_, in_flight_.begin());
  deliver(done.front(), answer);
  done.front().clear();
  free_.splice(free_.end(), done);
}

// A server that refuses a transaction as a whole would refuse each part; but an access list that
// forbids a part may allow the other parts.
void write_combiner::deliver(const batch& of, const reply& answer) noexcept {
  const bool ok = answer.result == status::ok;
  const bool refused = answer.result == status::failed && answer.is_refused_whole;
  auto path = answer.children.begin();
  for (const auto& each : of.parts) {
    if (!outlet_.is_delivering()) return;
    const bool failed = !ok && !answer.is_refused_whole && answer.first_failed >= each.begin &&
                        answer.first_failed < each.begin + each.count;
    reply one;
    one.result = ok || refused || failed ? answer.result : status::undone;
    one.error = answer.error;
    one.is_refused_whole = refused;
    one.transaction = answer.transaction;
    if (failed) one.first_failed = answer.first_failed - each.begin;
    if (ok && of.writes[each.begin].what == write::kind::create) {
      one.path = *path++;
      one.czxid = answer.transaction;
    }
    each.to->on_reply(each.tag, one);
  }
}

void write_combiner::clear() noexcept {
  held_.front().clear();
  for (auto& each : in_flight_)
    each.clear();
  free_.splice(free_.end(), in_flight_);
}

} // namespace zklock::zookeeper
