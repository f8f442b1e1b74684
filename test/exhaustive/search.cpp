#include "search.hpp"

#include "failure.hpp"
#include "processor_time.hpp"

#include <algorithm>

namespace exhaustive {

namespace {

// One in so many fingerprints is a sample.
constexpr std::uint64_t sampling = 512;

} // namespace

search::search(const bounds& bounds, double seconds) : bounds_(bounds), seconds_(seconds) {}

void search::begin() {
  arena::clear();
  {
    const arena::use memory;
    scene_ = new scene(bounds_, false);
  }
  states_.push_back({.parent = 0, .by = {}});
  visited_.insert(fingerprint_.of(*scene_));
  way_.push_back(0);
  images_.emplace_back();
  arena::save(images_.front());
}

std::optional<violation> search::run() {
  const auto end = simulation::processor_time() + seconds_;
  begin();
  try {
    for (index i = 0; i < states_.size(); ++i) {
      if (seconds_ > 0 && i % 1024 == 0 && simulation::processor_time() > end) return std::nullopt;
      go_to(i);
      expand();
    }
  } catch (const simulation::failure& broken) {
    return violation{.what = broken.what(), .path = path()};
  }
  complete_ = true;
  return std::nullopt;
}

std::vector<event> search::path() const {
  std::vector<event> all;
  for (const auto each : way_)
    if (each != 0) all.push_back(states_[each].by);
  if (trying_) all.push_back(*trying_);
  return all;
}

std::vector<search::index> search::way_to(index which) const {
  std::vector<index> way;
  for (; which != 0; which = states_[which].parent)
    way.push_back(which);
  way.push_back(0);
  std::reverse(way.begin(), way.end());
  return way;
}

void search::go_to(index which) {
  const auto way = way_to(which);
  const auto there = std::mismatch(way_.begin(), way_.end(), way.begin(), way.end()).second;
  auto common = static_cast<std::size_t>(there - way.begin());
  way_.resize(common);
  arena::restore(images_[common - 1]);
  for (; common < way.size(); ++common) {
    way_.push_back(way[common]);
    happen(states_[way[common]].by);
    if (images_.size() <= common) images_.emplace_back();
    arena::save(images_[common]);
  }
  depth_ = std::max(depth_, way.size() - 1);
}

void search::expand() {
  const auto& here = images_[way_.size() - 1];
  std::vector<event> events;
  scene_->list_events(events);
  examine();
  for (auto each : events) {
    arena::restore(here);
    if (!explore(each)) continue;
    arena::restore(here);
    if (!scene_->may_be_unproven()) continue;
    each.unproven = true;
    explore(each);
  }
}

void search::examine() {
  quiet_ += scene_->is_quiet();
  scene_->check();
  const arena::use memory;
  scene_->come_to_rest();
}

// Returns whether the event granted something.
bool search::explore(const event& by) {
  trying_ = by;
  const bool granted = happen(by);
  trying_.reset();
  ++transitions_;
  ++counts_[static_cast<std::size_t>(by.what)];
  const auto print = fingerprint_.of(*scene_);
  if (visited_.insert(print)) states_.push_back({.parent = way_.back(), .by = by});
  if (print % sampling == 0) compare(print);
  return granted;
}

bool search::happen(const event& by) {
  const arena::use memory;
  return scene_->happen(by);
}

void search::compare(std::uint64_t print) {
  auto found = futures();
  const auto [sample, is_first] = samples_.try_emplace(print, std::move(found));
  if (is_first) return;
  ++compared_;
  if (sample->second != found)
    simulation::fail("states with the same fingerprint have different futures");
}

// The fingerprints of all states that can follow; a rule that is broken is a state of its own.
std::vector<std::uint64_t> search::futures() {
  arena::image here;
  arena::save(here);
  std::vector<event> events;
  scene_->list_events(events);
  std::vector<std::uint64_t> all;
  for (const auto& each : events) {
    arena::restore(here);
    try {
      happen(each);
      all.push_back(fingerprint_.of(*scene_));
    } catch (const simulation::failure&) {
      all.push_back(0);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

} // namespace exhaustive
