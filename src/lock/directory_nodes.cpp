// The nodes by which those of a lock's directory are in line or hold, and what becomes of them
// where somebody else deletes one.

#include "lock/client_state.hpp"
#include "lock/directory.hpp"

namespace zklock::detail {

std::vector<directory::named_node> directory::collect(std::vector<std::string>& paths) const {
  std::vector<named_node> nodes;
  for (const auto& [id, e] : queue_.entries()) {
    if (e.number < 0 || e.is == queue::entry::state::removing) continue;
    const auto form = e.node();
    const std::uint32_t count = form.is_permit ? e.permits : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& path = paths.emplace_back();
      if (form.is_permit)
        append_permit_path(path, path_->permits, client_.token(), id, i);
      else
        append_entry_path(path, path_->line, client_.token(), id, rule_.label(e.wants), e.number);
      nodes.push_back({id, form});
    }
  }
  return nodes;
}

void directory::missing(queue::entry_id id, queue::form form) {
  feed([&](queue::step step) { queue_.missing(step, id, form); });
}

void directory::node_gone(std::string_view gone) {
  const auto name = name_of(gone);
  if (path_->kind == lock_kind::semaphore && gone.starts_with(path_->permits + '/')) {
    const auto id = queue::parse_permit(name, client_.token());
    const auto it = id ? queue_.entries().find(*id) : queue_.entries().end();
    if (it != queue_.entries().end() && it->second.node().is_permit)
      missing(*id, it->second.node());
    return;
  }
  const auto parsed = queue::parse_entry_name(name);
  if (parsed && parsed->has_id && parsed->token == client_.token())
    missing(parsed->id, {.wants = rule_.seen_as(parsed->wants)});
}

} // namespace zklock::detail
