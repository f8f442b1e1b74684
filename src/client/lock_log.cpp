#include "client/lock_log.hpp"

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/lock_definition.hpp"
#include "support/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace zklock::detail {

namespace {

std::string reason_name(const error_code& why) {
  for (const auto& [code, name] : {std::pair{errc::session_expired, "session_expired"},
                                   std::pair{errc::data_rolled_back, "data_rolled_back"},
                                   std::pair{errc::entry_deleted, "entry_deleted"},
                                   std::pair{errc::hold_limit_reached, "hold_limit_reached"},
                                   std::pair{errc::authentication_failed, "authentication_failed"}})
    if (why == make_error_code(code)) return name;
  return why.message();
}

std::string in_seconds(std::chrono::steady_clock::duration time) {
  std::array<char, 32> text;
  const auto seconds = std::chrono::duration<double>(time).count();
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 3);
  return {text.data(), end.ptr};
}

log_line begun(std::string_view sentence, const lock_definition& lock) {
  log_line made(sentence);
  made.field("path", lock.given);
  return made;
}

std::string ended(log_line& line, const client_session& session, const logged_hold& held) {
  return line.field("node", held.node)
      .field("token", held.token.to_string())
      .session(session.id())
      .field("held_for_s", in_seconds(std::chrono::steady_clock::now() - held.since))
      .take();
}

} // namespace

void log_lost(client_core& core, const client_session& session, const logged_hold& held,
              error_code why) {
  auto line = begun("lost a lock", held.lock);
  line.field("reason", reason_name(why));
  core.log(log_level::warning, ended(line, session, held));
}

// The log line is composed at once, since a blocked strand logs late.
void log_doubt(client_core& core, const client_session& session, const logged_hold& held) {
  auto line = begun("a lock is in doubt", held.lock);
  const auto left = session.proven_until() - boot_clock::now();
  line.field("valid_for_s", in_seconds(std::max(left, left.zero())));
  core.run([&core, text = ended(line, session, held)]() mutable {
    core.log(log_level::warning, std::move(text));
  });
}

void log_request(client_core& core, const client_session& session, const logged_hold& held,
                 std::string_view requester) {
  auto line = begun("asked to release a lock", held.lock);
  line.field("requester", requester);
  core.log(log_level::info, ended(line, session, held));
}

void log_broken(client_core& core, const client_session& session, const lock_definition& lock,
                std::string_view node) {
  auto line = begun("broke a lock", lock);
  core.log(log_level::info, line.field("node", node).session(session.id()).take());
}

} // namespace zklock::detail
