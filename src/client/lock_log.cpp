#include "client/lock_log.hpp"

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/lock_definition.hpp"
#include "support/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

namespace zklock::detail {

namespace {

std::string reason_name(const error_code& why) {
  if (why.category() != lock_category()) return why.message();
  switch (static_cast<errc>(why.value())) {
  case errc::session_expired:
    return "session_expired";
  case errc::data_rolled_back:
    return "data_rolled_back";
  case errc::entry_deleted:
    return "entry_deleted";
  case errc::hold_limit_reached:
    return "hold_limit_reached";
  case errc::authentication_failed:
    return "authentication_failed";
  default:
    return why.message();
  }
}

std::string in_seconds(std::chrono::steady_clock::duration time) {
  std::array<char, 32> text;
  const auto seconds = std::chrono::duration<double>(time).count();
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 3);
  return {text.data(), end.ptr};
}

void add_hold(log_line& line, const client_session& session, const logged_hold& held) {
  line.field("node", held.node)
      .field("token", held.token.to_string())
      .session(session.id())
      .field("held_for_s", in_seconds(std::chrono::steady_clock::now() - held.since));
}

template <class Compose>
std::string composed(std::string_view sentence, const lock_definition& lock, Compose compose) {
  log_line made(sentence);
  made.field("path", lock.given);
  compose(made);
  return made.take();
}

template <class Compose>
void log(client_core& core, log_level level, std::string_view sentence, const lock_definition& lock,
         Compose compose) {
  core.log(level, composed(sentence, lock, compose));
}

} // namespace

void log_lost(client_core& core, const client_session& session, const logged_hold& held,
              error_code why) {
  log(core, log_level::warning, "lost a lock", held.lock, [&](log_line& line) {
    line.field("reason", reason_name(why));
    add_hold(line, session, held);
  });
}

// The log line is composed at once, since a blocked strand logs late.
void log_doubt(client_core& core, const client_session& session, const logged_hold& held) {
  auto line = composed("a lock is in doubt", held.lock, [&](log_line& made) {
    const auto left = session.proven_until() - boot_clock::now();
    made.field("valid_for_s", in_seconds(std::max(left, left.zero())));
    add_hold(made, session, held);
  });
  core.run(
      [&core, line = std::move(line)]() mutable { core.log(log_level::warning, std::move(line)); });
}

void log_request(client_core& core, const client_session& session, const logged_hold& held,
                 std::string_view requester) {
  log(core, log_level::info, "asked to release a lock", held.lock, [&](log_line& line) {
    line.field("requester", requester);
    add_hold(line, session, held);
  });
}

void log_broken(client_core& core, const client_session& session, const lock_definition& lock,
                std::string_view node) {
  log(core, log_level::info, "broke a lock", lock,
      [&](log_line& line) { line.field("node", node).session(session.id()); });
}

} // namespace zklock::detail
