// Events of programs other than the lock's clients.

#include "ensemble.hpp"

#include <iterator>

namespace simulation {

bool ensemble::reap(std::size_t directory) {
  const auto& there = truth().at(directory);
  if (!there.exists || there.children_ever == 0 || !there.children.empty()) return false;
  trace_("    directory ", directory, " is reaped");
  statistics_.count(seen::directory_gone);
  append({.what = change::kind::remove_directory, .directory = directory});
  return true;
}

bool ensemble::reap_parent() {
  for (std::size_t parent = 0; parent < truth().parents(); ++parent) {
    bool empty = true;
    for (std::size_t i = parent; i < truth().directories(); i += truth().parents())
      empty &= !truth().at(i).exists;
    if (!empty || !truth().parent_exists(parent) || !truth().parent_used(parent)) continue;
    trace_("    the parent of directory ", parent, " is reaped");
    append({.what = change::kind::remove_parent, .directory = parent});
    return true;
  }
  return false;
}

void ensemble::make_anew(std::size_t directory, std::int64_t entries, session_id session) {
  append({.what = change::kind::make_parents, .directory = directory});
  for (std::int64_t number = 0; number < entries; ++number) {
    if (number != 0)
      append({.what = change::kind::remove, .directory = directory, .node = nodes_.size() - 1});
    const auto made =
        add_entry("_c_8f0e4c52-3d2b-4c63-a8f4-1b0c9e7d6a55-lock-", directory, session);
    append({.what = change::kind::create, .directory = directory, .node = made});
  }
  trace_("    directory ", directory, " is made anew, with ", nodes_.back().name);
}

void ensemble::delete_by_hand(node_id node) {
  trace_("    ", nodes_[node].name, " is deleted by hand");
  nodes_[node].deleted_by_hand = true;
  deleted_by_hand_.push_back(node);
  append({.what = change::kind::remove, .directory = nodes_[node].directory, .node = node});
}

void ensemble::set_data(std::size_t directory, node_id node) {
  trace_("    new data in directory ", directory, ": ",
         node == no_such_node ? std::string("itself") : nodes_[node].name);
  append({.what = change::kind::set_data, .directory = directory, .node = node});
}

namespace {

struct foreign_child {
  std::string name;
  sequence number = 0;
  role wants = role::exclusive;
};

// A child with a name that a fuzzer chooses. Numbers that the servers have assigned, or will, would
// make it an entry of a client that breaks the rules.
foreign_child any_child(std::string_view name) {
  const auto parsed = zklock::queue::parse_entry_name(name);
  constexpr sequence far = 2'147'483'000;
  if (!parsed || parsed->number > far) return {std::string(name)};
  if (parsed->number >= 0) return {};
  return {std::string(name), parsed->number, parsed->wants};
}

} // namespace

void ensemble::litter(std::size_t directory) {
  // Some look like entries with numbers that the servers do not assign here: the lowest number is
  // first in line.
  static const foreign_child all[] = {{"config"},
                                      {"_c_lock-"},
                                      {"lease-0000000001"},
                                      {"0000000003"},
                                      {"-lock-12"},
                                      {"lock-2147483000"},
                                      {"a-__READ__2147483001"},
                                      {"lock--000000001", -1},
                                      {"lock--000000002", -2},
                                      {"a-__READ__-000000003", -3, role::shared},
                                      {"a-__WRIT__-2147483648", -2147483648}};
  auto one = all[dice_.below(std::size(all))];
  if (const auto name = dice_.text(); !name.empty()) one = any_child(name);
  if (one.name.empty()) return;
  if (!truth().at(directory).exists || truth().find(directory, one.name) != no_such_node) return;
  trace_("    another client makes ", one.name, " in directory ", directory);
  const auto made = static_cast<std::int64_t>(log_.size()) + 1;
  nodes_.push_back({.name = one.name,
                    .directory = directory,
                    .czxid = made,
                    .token = made,
                    .number = one.number,
                    .wants = one.wants,
                    .is_entry = one.number < 0,
                    .is_litter = true});
  append({.what = change::kind::create, .directory = directory, .node = nodes_.size() - 1});
}

bool ensemble::clean_up(std::size_t directory) {
  for (const auto child : truth().at(directory).children) {
    if (!nodes_[child].is_litter) continue;
    append({.what = change::kind::remove, .directory = directory, .node = child});
    return true;
  }
  return false;
}

void ensemble::deny(std::size_t directory, permission what, status result) {
  trace_("    directory ", directory, ": permission ", static_cast<int>(what), " is now ",
         to_string(result));
  denials_[directory][static_cast<std::size_t>(what)] = result;
}

void ensemble::set_limit(std::size_t directory, std::uint32_t limit) {
  trace_("    the limit in directory ", directory, " is now ", limit);
  append({.what = change::kind::set_limit, .directory = directory, .limit = limit});
}

void ensemble::start_with_limit(std::size_t directory, std::uint32_t limit) {
  for (auto& replica : servers_)
    replica.tree.set_limit(directory, limit);
}

void ensemble::found(std::size_t directory, std::int64_t children_ever) {
  for (auto& replica : servers_)
    replica.tree.found(directory, children_ever);
}

status ensemble::permits(const request& request) const noexcept {
  const auto& denials = denials_[request.directory];
  switch (request.what) {
  case request::kind::make_directory:
  case request::kind::make_parents:
  case request::kind::create:
  case request::kind::create_reader:
    return denials[static_cast<std::size_t>(permission::create)];
  case request::kind::remove:
    return denials[static_cast<std::size_t>(permission::remove)];
  case request::kind::make_parent:
  case request::kind::transaction:
  case request::kind::exists:
  case request::kind::sync:
  case request::kind::ask_limit:
  case request::kind::remove_watch:
    return status::ok;
  default:
    return denials[static_cast<std::size_t>(permission::read)];
  }
}

status ensemble::permits(const part& part) const noexcept {
  using kind = zklock::zookeeper::write::kind;
  const auto& denials = denials_[part.directory];
  switch (part.what) {
  case kind::create:
    return denials[static_cast<std::size_t>(permission::create)];
  case kind::remove:
    return denials[static_cast<std::size_t>(permission::remove)];
  default:
    return status::ok;
  }
}

} // namespace simulation
