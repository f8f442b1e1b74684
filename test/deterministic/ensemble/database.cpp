#include "database.hpp"

namespace deterministic::servers {
namespace {

// A refused transaction has an error for each of its parts from the failed part on.
memory::outcome refuse(const memory::write_request& request, memory::code why,
                       std::size_t failed = 0) {
  const auto* multi = std::get_if<memory::multi_request>(&request);
  if (multi == nullptr || why == memory::code::session_moved) return {.error = why};
  memory::multi_reply reply;
  for (std::size_t i = 0; i != multi->parts.size(); ++i)
    reply.parts.push_back({.error = i < failed    ? memory::code::ok
                                    : i == failed ? why
                                                  : memory::code::runtime_inconsistency});
  return {.body = std::move(reply)};
}

} // namespace

memory::outcome database::apply(const transaction& next) {
  last = next.id;
  const auto& [origin, number, session, request, failure, failed_part] = next.what;
  if (next.refused != memory::code::ok) return refuse(request, next.refused);
  const bool begins = std::holds_alternative<memory::create_session_request>(request);
  if (session.id != 0 && !begins && !has_session(session.id)) {
    // The client and the leader have ended the session simultaneously.
    if (std::holds_alternative<memory::close_session_request>(request)) return {};
    return refuse(request, memory::code::session_expired);
  }
  if (failure != memory::code::ok) return refuse(request, failure, failed_part);
  return tree.apply(request, session, next.id, next.time);
}

} // namespace deterministic::servers
