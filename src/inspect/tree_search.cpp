#include "inspect/tree_search.hpp"

#include "inspect/line_of_participants.hpp"
#include "queue/entry_name.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace zklock::detail {

namespace {

constexpr std::string_view line_name = "locks";
constexpr std::string_view permits_name = "leases";

std::string child(const std::string& path, std::string_view name) {
  std::string below = path == "/" ? std::string() : path;
  return below.append(1, '/').append(name);
}

} // namespace

void tree_search::begin(std::string_view chroot, std::string_view root, std::size_t levels) {
  chroot_ = chroot;
  std::string path = chroot_;
  if (root != "/" || path.empty()) path += root;
  directories_.push_back({.path = std::move(path), .levels = levels});
}

void tree_search::listed(const directory& where, std::optional<listed_children> children) {
  if (where.permits_of) {
    auto& whole = *where.permits_of;
    whole.permits = std::move(children);
    if (!whole.has_line) return decide(whole);
    directories_.push_back({.path = child(whole.path, line_name), .line_of = where.permits_of});
  } else if (where.line_of) {
    where.line_of->line = std::move(children);
    decide(*where.line_of);
  } else if (children) {
    look_into(where.path, where.levels, *children);
  }
}

void tree_search::refused(const directory& where, error_code why) {
  add(where.path, std::nullopt).error = why;
  listed(where, std::nullopt);
}

void tree_search::look_into(const std::string& path, std::size_t levels,
                            const listed_children& children) {
  if (children.names.empty()) {
    if (children.ever > 0) add(path, std::nullopt);
    return;
  }
  const auto names = children.views();
  if (const auto kind = kind_of(names)) {
    auto& found = add(path, kind);
    found.line = in_line(found.definition, names, children.ever);
    read_all(found);
  }
  const bool may_have_permits = std::find(names.begin(), names.end(), permits_name) != names.end();
  bool has_line = false;
  for (const auto name : names) {
    if (may_have_permits && name == line_name)
      has_line = true;
    else if (name != permits_name)
      descend(path, levels, name);
  }
  if (may_have_permits)
    directories_.push_back({.path = child(path, permits_name),
                            .permits_of = std::make_shared<candidate>(
                                candidate{.path = path, .levels = levels, .has_line = has_line})});
}

void tree_search::descend(const std::string& path, std::size_t levels, std::string_view name) {
  if (levels == 0 || queue::parse_entry_name(name)) return;
  auto below = child(path, name);
  // ZooKeeper's own nodes.
  if (below != "/zookeeper")
    directories_.push_back({.path = std::move(below), .levels = levels - 1});
}

void tree_search::decide(const candidate& whole) {
  const auto below = whole.levels - std::min<std::size_t>(whole.levels, 1);
  if (!is_semaphore(whole.line, whole.permits)) {
    if (whole.levels == 0) return;
    if (whole.permits) look_into(child(whole.path, permits_name), below, *whole.permits);
    if (whole.line) look_into(child(whole.path, line_name), below, *whole.line);
    return;
  }
  auto& found = add(whole.path, lock_kind::semaphore);
  found.permits = with_permits(found.definition, whole.permits->views(), whole.permits->ever);
  if (whole.line) {
    found.line = in_line(found.definition, whole.line->views(), whole.line->ever);
    for (const auto& name : whole.line->names)
      descend(found.definition.line, below, name);
  }
  read_all(found);
}

tree_search::lock_found& tree_search::add(const std::string& path, std::optional<lock_kind> kind) {
  lock_definition definition{.given = path.substr(chroot_.size()), .full = path};
  if (definition.given.empty()) definition.given = "/";
  // Names are appended to it behind a slash.
  if (path != "/") definition.line = path;
  if (kind) definition.kind = *kind;
  if (kind == lock_kind::semaphore) {
    definition.line = child(path, line_name);
    definition.permits = child(path, permits_name);
  }
  return found_.emplace_back(lock_found{.definition = std::move(definition),
                                        .type = kind ? type_of(*kind) : lock_type::unknown});
}

void tree_search::read_all(lock_found& found) {
  for (auto* list : {&found.permits, &found.line})
    for (auto& each : *list)
      readings_.push_back({.of = &found, .target = &each});
}

std::vector<found_lock> tree_search::take() {
  std::vector<found_lock> all;
  all.reserve(found_.size());
  for (auto& each : found_)
    all.push_back({.path = std::move(each.definition.given),
                   .type = each.type,
                   .participants = in_order(each.definition, std::move(each.permits),
                                            std::move(each.line), std::nullopt),
                   .error = each.error});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.path, a.type) < std::tie(b.path, b.type);
  });
  found_.clear();
  return all;
}

} // namespace zklock::detail
