#include "zookeeper/write_combiner.hpp"

#include <algorithm>
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

bool write_combiner::batch::creates_for(const receiver& one) const noexcept {
  return std::any_of(parts.begin(), parts.end(), [&](const part& each) {
    return each.to == &one && writes[each.begin].what == write::kind::create;
  });
}

write_combiner::write_combiner(outlet& by, std::size_t access_bytes)
    : outlet_(by), access_bytes_(access_bytes) {
  held_.emplace_back(*this);
}

bool write_combiner::hold(const request& what, receiver& to, request_tag tag) {
  return std::visit([&](const auto& one) { return add(one, to, tag); }, what);
}

bool write_combiner::add(const create_entry& what, receiver& to, request_tag tag) {
  if (!what.may_combine) return false;
  if (held_.front().creates_for(to)) flush();
  const auto bytes = what.path.size() + what.data.size() + part_bytes + access_bytes_;
  batch& into = with_room(1, bytes);
  write& one = into.add(0);
  one.what = write::kind::create;
  one.path = what.path;
  one.data = what.data;
  one.ephemeral = one.sequential = true;
  append(into, {&to, tag, into.used, 1}, bytes);
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

// The last parts, if their receiver makes the request that follows, are sent alone: a create that a
// list follows must not be undone because of another lock.
void write_combiner::flush(const receiver* next) {
  batch& now = held_.front();
  auto together = now.parts.size();
  while (together != 0 && now.parts[together - 1].to == next)
    --together;
  if (together == 1) together = 0;
  if (together != 0) send_together(now, together);
  for (std::size_t i = together; i < now.parts.size(); ++i)
    send_alone(now, i);
  if (together != 0) now.parts.resize(together, now.parts.front());
  held_.front().clear();
}

void write_combiner::send_together(batch& of, std::size_t count) {
  const part& last = of.parts[count - 1];
  outlet_.send_now(transact{.writes = std::span(of.writes).first(last.begin + last.count)}, of, {});
  if (free_.empty()) free_.emplace_back(*this);
  in_flight_.splice(in_flight_.end(), held_);
  held_.splice(held_.end(), free_, free_.begin());
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

void write_combiner::answered(const batch& which, const reply& answer) noexcept {
  // Taken out: a receiver may send or forget other batches.
  std::list<batch> done;
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                  [&](const batch& each) { return &each == &which; });
  done.splice(done.end(), in_flight_, found);
  deliver(done.front(), answer);
  done.front().clear();
  free_.splice(free_.end(), done);
}

// A server that refuses a transaction as a whole would refuse each part; but an access list that
// forbids a part may allow the rest.
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
