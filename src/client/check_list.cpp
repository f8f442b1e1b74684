#include "client/check_list.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

// The largest number of nodes in a transaction: enough to make many locks cheap.
constexpr std::size_t checks_at_once = 128;

} // namespace

// Even young entries, whose creation proves the session, are checked: another client may have
// deleted them. Checks of awaited nodes take the place of a confirm: a round of few checks has no
// more requests, but for the lists of permits.
void check_list::collect() {
  for (const auto& [line, used] : locks_.table())
    for (const auto& [entry, form] : used->driver().collect(paths_))
      nodes_.push_back(own_node{used->driver().lock(), entry, form});
  awaited_.begin_round();
  for (auto& path : awaited_.entries()) {
    nodes_.emplace_back(zookeeper::watch_kind::node);
    paths_.push_back(std::move(path));
  }
  unlisted_ = awaited_.directories();
}

void check_list::clear() noexcept {
  unlisted_.clear();
  nodes_.clear();
  paths_.clear();
}

std::span<const std::string> check_list::next() const noexcept {
  const auto all = std::span(paths_).first(std::min(paths_.size(), checks_at_once));
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bytes += all[i].size() + zookeeper::part_bytes;
    if (i != 0 && bytes > session_.get().most_bytes()) return all.first(i);
  }
  return all;
}

void check_list::listed(const zookeeper::reply& reply) {
  for (const auto name : reply.children) {
    nodes_.emplace_back(zookeeper::watch_kind::children);
    paths_.push_back(unlisted_.back() + '/' + std::string(name));
  }
  unlisted_.pop_back();
}

check_list::node check_list::take(std::size_t count, const zookeeper::reply& reply) {
  const bool all = reply.result == zookeeper::status::ok;
  const auto done = all ? count : std::min(reply.first_failed + 1, count);
  node last{std::move(nodes_[done - 1]), std::move(paths_[done - 1])};
  const auto end = static_cast<std::ptrdiff_t>(done);
  nodes_.erase(nodes_.begin(), nodes_.begin() + end);
  paths_.erase(paths_.begin(), paths_.begin() + end);
  return last;
}

void check_list::missing(const node& gone) {
  if (const auto* const own = std::get_if<own_node>(&gone.what))
    locks_.missing(*own->lock, own->entry, own->node);
  else
    awaited_.missing(gone.path, std::get<awaited_node>(gone.what));
}

} // namespace zklock::detail
