#include "client/unused_directories.hpp"

#include "client/lock_definition.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

// A transaction of so many deletes costs the quorum little more than a single delete.
constexpr std::size_t most_at_once = 64;

// If the client forgets locks faster than the servers delete, the rest is left to the servers.
constexpr std::size_t most_waiting = 1024;

// Other locks than semaphores have the directory of their entries only.
std::string path_of(const std::string& line, std::size_t which) {
  return which == made_line      ? line
         : which == made_permits ? permits_beside(line)
                                 : line.substr(0, line.rfind('/'));
}

} // namespace

unused_directories::unused_directories(client_session& session) noexcept
    : session_(session), at_once_(most_at_once) {}

void unused_directories::add(std::string_view line, made_directories made) {
  if (made.none()) return;
  if (waiting_.size() >= most_waiting) waiting_.pop_front();
  waiting_.push_back({std::string(line), made});
  send();
}

made_directories unused_directories::take(std::string_view line) {
  const auto is_it = [&](const unused& each) { return each.line == line; };
  if (const auto it = std::find_if(waiting_.begin(), waiting_.end(), is_it); it != waiting_.end()) {
    const auto made = it->made;
    waiting_.erase(it);
    return made;
  }
  const auto it = std::find_if(sent_.begin(), sent_.end(), is_it);
  if (it == sent_.end()) return {};
  it->line.clear();
  return it->made;
}

void unused_directories::clear() noexcept {
  waiting_.clear();
  sent_.clear();
}

void unused_directories::send() {
  if (!sent_.empty() || waiting_.size() < most_at_once || !session_.connected()) return;
  std::vector<zookeeper::write> writes;
  std::size_t bytes = 0;
  while (sent_.size() < at_once_ && bytes < session_.get().most_bytes() && !waiting_.empty()) {
    const auto& next = sent_.emplace_back(std::move(waiting_.front()));
    waiting_.pop_front();
    for (std::size_t i = 0; i < next.made.size(); ++i) {
      if (!next.made[i]) continue;
      auto path = path_of(next.line, i);
      bytes += path.size();
      writes.push_back({.what = zookeeper::write::kind::remove, .path = std::move(path)});
    }
  }
  session_.get().send(zookeeper::transact{.writes = writes}, *this, {});
}

// A directory that is not empty fails the transaction as a whole: the directory stays, and the rest
// of the batch is sent again. The batch size is halved after a failed transaction and doubled after
// a committed transaction, so there are never more transactions than locks.
void unused_directories::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  if (reply.result == zookeeper::status::ok) {
    at_once_ = std::min(at_once_ * 2, most_at_once);
  } else {
    at_once_ = std::max<std::size_t>(at_once_ / 2, 1);
    leave_failed(reply.first_failed);
    std::erase_if(sent_, [](const auto& each) { return each.line.empty() || each.made.none(); });
    waiting_.insert(waiting_.begin(), sent_.begin(), sent_.end());
  }
  sent_.clear();
  send();
}

// A directory that is in use keeps the later directories of its lock in use, too.
void unused_directories::leave_failed(std::size_t index) {
  for (auto& each : sent_)
    for (std::size_t i = 0; i < each.made.size(); ++i)
      if (each.made[i] && index-- == 0) {
        for (; i < each.made.size(); ++i)
          each.made.reset(i);
        return;
      }
}

} // namespace zklock::detail
