#include "cli/lock_text.hpp"

#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>

#include "cli/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>

namespace zklock::cli {

namespace json = boost::json;

namespace {

// A client waits for entries whose names it knows. A mutex of Curator does not wait for readers and
// writers, and a mutex of kazoo does not wait for the names of Curator.
enum class dialect { lock, readers_writers, kazoo };

std::optional<dialect> dialect_of(std::string_view name) noexcept {
  if (name.find("__READ__") != name.npos || name.find("__WRIT__") != name.npos)
    return dialect::readers_writers;
  if (name.find("__lock__") != name.npos || name.find("__rlock__") != name.npos)
    return dialect::kazoo;
  if (name.find("-lease-") != name.npos) return std::nullopt;
  return dialect::lock;
}

bool is_mixed(const found_lock& lock) noexcept {
  std::optional<dialect> first;
  for (const auto& each : lock.participants) {
    const auto one = dialect_of(node_name(each));
    if (one && first && *one != *first) return true;
    if (one) first = one;
  }
  return false;
}

void add(std::vector<std::string>& marks, const std::string& mark) {
  if (std::find(marks.begin(), marks.end(), mark) == marks.end()) marks.push_back(mark);
}

json::array to_array(const std::vector<std::string>& texts) {
  json::array made;
  for (const auto& each : texts)
    made.emplace_back(each);
  return made;
}

std::int64_t whole_milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

} // namespace

std::string_view name_of(lock_type type) noexcept {
  switch (type) {
  case lock_type::mutex:
    return "mutex";
  case lock_type::shared_mutex:
    return "shared_mutex";
  case lock_type::semaphore:
    return "semaphore";
  case lock_type::unknown:
    break;
  }
  return "unknown";
}

std::string_view name_of(participant_role role) noexcept {
  switch (role) {
  case participant_role::exclusive:
    return "exclusive";
  case participant_role::shared:
    return "shared";
  case participant_role::permit:
    break;
  }
  return "permit";
}

std::string_view name_of(participant_use use) noexcept {
  switch (use) {
  case participant_use::in_use:
    return "in_use";
  case participant_use::cached:
    return "cached";
  case participant_use::unknown:
    break;
  }
  return "unknown";
}

std::string_view state_of(const participant& one) noexcept {
  if (!one.is_holder) return "waits";
  return one.use == participant_use::in_use ? "holds" : "holds/kept";
}

any_lock lock_of(const client& zk, const std::string& path, lock_type type) {
  if (type == lock_type::shared_mutex) return shared_mutex(zk, path);
  // The data of the directory is no limit of permits: the semaphore is used without a limit.
  if (type == lock_type::semaphore) return semaphore(zk, path, limit_node{.path = path});
  return mutex(zk, path);
}

std::size_t count_holders(const found_lock& lock) noexcept {
  return static_cast<std::size_t>(
      std::count_if(lock.participants.begin(), lock.participants.end(),
                    [](const participant& each) { return each.is_holder; }));
}

std::string_view node_name(const participant& one) noexcept {
  const std::string_view node = one.node;
  return node.substr(node.rfind('/') + 1);
}

std::string describe(const participant& one) {
  return printable(one.node) + " (" + (one.identity.empty() ? "" : printable(one.identity) + ", ") +
         "session " + session_text(one.session_id) + ")";
}

std::chrono::nanoseconds age_of(const participant& one) {
  return std::max<std::chrono::nanoseconds>(std::chrono::system_clock::now() - one.queued_since,
                                            std::chrono::nanoseconds::zero());
}

std::vector<std::string> marks_of(const participant& one) {
  std::vector<std::string> marks;
  if (one.release_requested) add(marks, "asked");
  // A participant that could not be read has neither a session nor a transaction.
  if (one.session_id == 0 && one.token.transaction() != 0) add(marks, "permanent");
  return marks;
}

std::vector<std::string> marks_of(const found_lock& lock) {
  std::vector<std::string> marks;
  if (lock.error) add(marks, "unreadable");
  for (const auto& each : lock.participants)
    for (const auto& mark : marks_of(each))
      add(marks, mark);
  if (is_mixed(lock)) add(marks, "mixed");
  if (!lock.participants.empty() && count_holders(lock) == 0) add(marks, "no-holder");
  return marks;
}

std::string join(const std::vector<std::string>& marks) {
  std::string text;
  for (const auto& each : marks)
    text += (text.empty() ? "" : ",") + each;
  return text;
}

json::object to_json(const found_lock& lock) {
  const auto holders = count_holders(lock);
  std::chrono::nanoseconds oldest{0};
  for (const auto& each : lock.participants)
    if (each.token.transaction() != 0) oldest = std::max(oldest, age_of(each));
  json::object made{{"path", well_formed(lock.path)},
                    {"type", name_of(lock.type)},
                    {"holders", holders},
                    {"waiters", lock.participants.size() - holders},
                    {"oldest_ms", nullptr},
                    {"marks", to_array(marks_of(lock))},
                    {"error", nullptr}};
  if (!lock.participants.empty()) made["oldest_ms"] = whole_milliseconds(oldest);
  if (lock.error) made["error"] = lock.error.message();
  return made;
}

json::object to_json(const participant& one) {
  const bool read = one.token.transaction() != 0;
  json::object made{{"node", well_formed(one.node)},
                    {"state", one.is_holder ? "holds" : "waits"},
                    {"use", name_of(one.use)},
                    {"role", name_of(one.role)},
                    {"number", one.number},
                    {"identity", nullptr},
                    {"session", nullptr},
                    {"token", nullptr},
                    {"queued_since_ms", nullptr},
                    {"age_ms", nullptr},
                    {"marks", to_array(marks_of(one))}};
  if (!read) return made;
  made["identity"] = well_formed(one.identity);
  made["session"] = session_text(one.session_id);
  made["token"] = one.token.to_string();
  made["queued_since_ms"] = whole_milliseconds(one.queued_since.time_since_epoch());
  made["age_ms"] = whole_milliseconds(age_of(one));
  return made;
}

} // namespace zklock::cli
