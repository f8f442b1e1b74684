#include "client/lock_definitions.hpp"

#include "client/lock_line.hpp"

namespace zklock::detail {

// No path has a null character.
std::string lock_definitions::name_of(std::string_view given, lock_kind kind,
                                      std::optional<std::uint32_t> limit,
                                      std::string_view limit_node) {
  std::string name(given);
  name += '\0';
  name += static_cast<char>('0' + static_cast<int>(kind));
  if (limit) name += std::to_string(*limit);
  return name += limit_node;
}

std::shared_ptr<const lock_definition> lock_definitions::find(const std::string& name) const {
  const std::lock_guard locked(mutex_);
  const auto known = shared_.find(name);
  return known == shared_.end() ? nullptr : known->second.lock();
}

// Another thread may have added a definition with this name.
std::shared_ptr<const lock_definition> lock_definitions::add(std::string name,
                                                             lock_definition made) {
  made.acquisitions = std::make_shared<lock_line>();
  std::shared_ptr<const lock_definition> added(new lock_definition(std::move(made)),
                                               [this, name](const lock_definition* gone) {
                                                 remove(name);
                                                 delete gone;
                                               });
  // Declared before the lock: the definition that is not used is destroyed unlocked.
  std::shared_ptr<const lock_definition> found;
  const std::lock_guard locked(mutex_);
  auto& known = shared_[std::move(name)];
  found = known.lock();
  if (found) added.swap(found);
  known = added;
  return added;
}

void lock_definitions::remove(const std::string& name) noexcept {
  const std::lock_guard locked(mutex_);
  const auto found = shared_.find(name);
  if (found != shared_.end() && found->second.expired()) shared_.erase(found);
}

std::vector<std::shared_ptr<const lock_definition>> lock_definitions::all() const {
  std::vector<std::shared_ptr<const lock_definition>> found;
  const std::lock_guard locked(mutex_);
  for (const auto& [name, each] : shared_)
    if (auto known = each.lock()) found.push_back(std::move(known));
  return found;
}

} // namespace zklock::detail
