#include "cli/doctor/diagnosis.hpp"

#include "cli/duration.hpp"
#include "cli/run/end_timing.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <set>

namespace zklock::cli {

namespace {

using std::chrono::milliseconds;
using verdict = finding::state;

// A certificate with less time left is a problem.
constexpr int days_to_renew = 14;

std::size_t count_mode(const examination& measured, const std::string& mode) {
  return static_cast<std::size_t>(
      std::count_if(measured.servers.begin(), measured.servers.end(),
                    [&](const examined_server& each) { return each.answer.mode == mode; }));
}

finding judge_servers(const examination& measured) {
  const auto all = measured.servers.size();
  const auto reached = static_cast<std::size_t>(
      std::count_if(measured.servers.begin(), measured.servers.end(),
                    [](const examined_server& each) { return !each.session.error; }));
  const auto text = std::to_string(reached) + " of " + std::to_string(all) + " grant a session";
  return {"servers", reached == all ? verdict::ok : verdict::problem, text};
}

finding judge_quorum(const examination& measured) {
  const auto leaders = count_mode(measured, "leader");
  const auto followers = count_mode(measured, "follower");
  const auto alone = count_mode(measured, "standalone");
  // The lock that was acquired is a write of the quorum.
  const auto is = measured.cost ? verdict::ok : verdict::unknown;
  if (leaders > 1 || alone > 1 || (alone == 1 && leaders + followers > 0))
    return {"quorum", verdict::problem, "the servers of the list do not belong to one ensemble"};
  if (alone == 1) return {"quorum", is, "one server, standalone: its failure stops every lock"};
  if (leaders + followers == 0)
    return {"quorum", is, measured.cost ? "writes are committed" : "no server tells its mode"};
  return {"quorum", is,
          std::to_string(leaders) + " leader, " + std::to_string(followers) + " followers"};
}

finding judge_versions(const examination& measured) {
  std::set<std::string> versions;
  for (const auto& each : measured.servers)
    if (!each.answer.version.empty()) versions.insert(each.answer.version);
  if (versions.empty()) return {"version", verdict::unknown, "no server tells it"};
  std::string text;
  for (const auto& each : versions)
    text += (text.empty() ? "" : ", ") + each;
  return {"version", verdict::ok, text};
}

finding judge_session(const examination& measured) {
  if (measured.session.error) return {"session", verdict::problem, reason_of(measured.session)};
  const auto asked = measured.asked.session_timeout;
  const auto granted = measured.session.timeout;
  std::string text = "timeout of " + to_text(granted);
  if (!measured.shortest.error && !measured.longest.error)
    text += "; the servers grant " + to_text(measured.shortest.timeout) + " to " +
            to_text(measured.longest.timeout);
  if (granted == asked) return {"session", verdict::ok, text};
  return {"session", verdict::problem, "asks for " + to_text(asked) + ", gets a " + text};
}

finding judge_tick(const examination& measured) {
  const auto tick = tick_of(measured);
  if (!tick) return {"tick", verdict::unknown, "no session tells it"};
  const auto assumed = measured.asked.server_tick;
  if (assumed >= *tick)
    return {"tick", verdict::ok,
            to_text(*tick) + " at the servers, " + to_text(assumed) + " assumed"};
  return {"tick", verdict::problem,
          to_text(*tick) + " at the servers, but only " + to_text(assumed) +
              " assumed: a hold could count as valid for too long; use --server-tick " +
              std::to_string(tick->count()) + "ms or more"};
}

finding judge_cost(const examination& measured) {
  if (!measured.cost) return {"lock", verdict::problem, measured.cost_problem};
  const auto& cost = *measured.cost;
  return {"lock", verdict::ok,
          "acquire and release take " + milliseconds_text(cost.median) + " (median), " +
              milliseconds_text(cost.p99) + " (p99) of " + std::to_string(cost.cycles)};
}

finding judge_run(const examination& measured) {
  if (measured.session.error) return {"run", verdict::unknown, "there is no session"};
  const auto longest =
      end_timing::longest_kill_after(measured.session.timeout, measured.asked.server_tick);
  return {"run", longest.count() > 0 ? verdict::ok : verdict::problem,
          "'zklock run' can leave a command up to " + to_text(longest) + " to end (--kill-after)"};
}

std::string expiry_text(int days) {
  return days < 0 ? "has expired" : "expires in " + std::to_string(days) + " days";
}

// Every server has a certificate of its own: the certificate that expires first counts.
finding judge_tls(const examination& measured) {
  const tls_stats* first = nullptr;
  for (const auto& each : measured.servers)
    if (each.session.tls && (!first || each.session.tls->server_expiry < first->server_expiry))
      first = &*each.session.tls;
  if (!first) return {"tls", verdict::unknown, "there is no session"};
  int least = days_left(first->server_expiry);
  std::string text = first->version + ", " + first->cipher +
                     "; the first certificate of a server " + expiry_text(least);
  if (first->client_expiry) {
    const int own = days_left(*first->client_expiry);
    least = std::min(least, own);
    text += ", that of this client " + expiry_text(own);
  }
  return {"tls", least < days_to_renew ? verdict::problem : verdict::ok, text};
}

finding judge_clocks(const examination& measured) {
  if (!measured.cost) return {"clock", verdict::unknown, "no lock was acquired"};
  const auto ahead = measured.cost->clock_ahead;
  // Locks do not depend on it; ages that are shown do.
  if (ahead.count() == 0) return {"clock", verdict::ok, "agrees with the servers' clock"};
  return {"clock", verdict::ok,
          "the servers' clock is " + to_text(milliseconds(std::abs(ahead.count()))) +
              (ahead.count() > 0 ? " ahead" : " behind") +
              ": ages that are shown are wrong by that"};
}

} // namespace

std::optional<milliseconds> tick_of(const examination& measured) {
  for (const auto& each : measured.servers)
    if (each.answer.tick) return each.answer.tick;
  if (measured.shortest.error) return std::nullopt;
  return measured.shortest.timeout / 2;
}

int days_left(std::chrono::system_clock::time_point expiry) {
  const auto left = expiry - std::chrono::system_clock::now();
  return static_cast<int>(std::chrono::floor<std::chrono::days>(left).count());
}

std::string reason_of(const session_result& failed) {
  return failed.detail.empty() ? failed.error.message() : failed.detail;
}

std::vector<finding> judge(const examination& measured) {
  std::vector<finding> all{judge_servers(measured),  judge_quorum(measured),
                           judge_versions(measured), judge_session(measured),
                           judge_tick(measured),     judge_cost(measured),
                           judge_run(measured),      judge_clocks(measured)};
  if (measured.asked.tls) all.push_back(judge_tls(measured));
  return all;
}

} // namespace zklock::cli
