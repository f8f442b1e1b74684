// The participants of a lock and the locks in a tree, read from lists of directories.
#include <zklock/error.hpp>

#include "fuzz.hpp"
#include "inspect/description.hpp"
#include "inspect/line_of_participants.hpp"
#include "inspect/lock_layout.hpp"
#include "inspect/tree_search.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using fuzz::input;
using fuzz::require;

namespace {

std::string any_name(input& in) {
  static const std::string usual[] = {"locks", "leases", "a"};
  static const std::string labels[] = {"-lock-", "-__READ__", "-__WRIT__", "-lease-"};
  const auto how = in.below(8);
  if (how < 3) return usual[how];
  if (how == 3) return std::string(in.text());
  std::string name;
  const auto& label = labels[in.below(4)];
  if (in.one_of(2))
    queue::append_prefix(name, {7}, in.below(4), label);
  else
    name = "_c_5f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f" + label;
  const queue::sequence far = in.one_of(16) ? in.take<std::int32_t>() : 0;
  queue::append_number(name, far + static_cast<queue::sequence>(in.below(8)));
  return name;
}

detail::listed_children any_children(input& in) {
  detail::listed_children made;
  for (auto count = in.below(8); count != 0; --count)
    made.names.push_back(any_name(in));
  made.ever = in.one_of(8) ? in.take<std::int64_t>() : static_cast<std::int64_t>(in.below(16));
  return made;
}

void check_line(input& in) {
  const auto children = any_children(in);
  const auto names = children.views();
  for (const auto kind :
       {detail::lock_kind::exclusive, detail::lock_kind::shared, detail::lock_kind::semaphore}) {
    const auto lock = detail::make_lock_definition("", "/a", kind);
    const auto line = detail::in_line(lock, names, children.ever);
    const auto before = [](const auto& a, const auto& b) { return a.number < b.number; };
    require(std::is_sorted(line.begin(), line.end(), before), "a line is in disorder");
    for (const auto& each : line) {
      require(each.number < children.ever, "a participant has a number that was not assigned");
      require(each.node.starts_with(lock.line + "/"), "a participant is elsewhere");
      require(kind != detail::lock_kind::exclusive || each.is_holder == (&each == &line.front()),
              "not the first one holds");
    }
    const auto permits = detail::with_permits(lock, names, children.ever);
    require(permits.size() == names.size(), "a permit is missing");
    const auto all = detail::in_order(lock, permits, line, in.take<std::uint8_t>());
    require(all.size() <= permits.size() + line.size(), "there are too many participants");
  }
}

void answer(detail::tree_search& search, input& in, bool may_list) {
  const auto where = std::move(search.directories().back());
  search.directories().pop_back();
  const auto how = may_list ? in.below(16) : 15;
  if (how == 15)
    search.listed(where, std::nullopt);
  else if (how == 14)
    search.refused(where, make_error_code(errc::no_permission));
  else
    search.listed(where, any_children(in));
}

void describe_all(detail::tree_search& search, input& in) {
  for (const auto& [of, target] : std::exchange(search.readings(), {})) {
    zookeeper::reply node;
    node.czxid = in.take<std::uint8_t>();
    node.ephemeral_owner = in.take<std::uint8_t>();
    if (in.one_of(8))
      target->node.clear();
    else
      detail::describe(*target, node);
  }
}

void check_search(input& in) {
  detail::tree_search search;
  const std::string chroot = in.one_of(4) ? "/chroot" : "";
  search.begin(chroot, in.one_of(2) ? "/a" : "/", in.below(4));
  for (int steps = 0; !search.directories().empty(); ++steps) {
    require(search.directories().back().path.starts_with(chroot), "a directory is elsewhere");
    answer(search, in, !in.empty() && steps < 100);
  }
  describe_all(search, in);
  const auto found = search.take();
  const auto before = [](const auto& a, const auto& b) { return a.path < b.path; };
  require(std::is_sorted(found.begin(), found.end(), before), "locks are in disorder");
  for (const auto& lock : found) {
    require(lock.path.starts_with('/'), "a lock has no path");
    require(lock.type != lock_type::unknown || lock.participants.empty(),
            "a lock with participants is of no type");
    const auto root = chroot + (lock.path == "/" ? "" : lock.path) + "/";
    for (const auto& each : lock.participants)
      require(each.node.starts_with(root), "a participant is elsewhere");
  }
  require(search.directories().empty() && search.take().empty(), "the search is not empty");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input in(data, size);
  if (in.one_of(2))
    check_line(in);
  else
    check_search(in);
  return 0;
}
