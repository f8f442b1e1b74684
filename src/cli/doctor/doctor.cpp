#include "cli/command_line.hpp"
#include "cli/connection_options.hpp"
#include "cli/doctor/diagnosis.hpp"
#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/json_text.hpp"
#include "cli/looking.hpp"
#include "cli/search.hpp"
#include "cli/text.hpp"
#include "cli/text_table.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

struct doctor_options {
  std::string path = "/zklock-doctor";
  std::size_t cycles = 100;
  bool as_json = false;
};

// The servers refuse no timeout: they grant the nearest timeout that they allow.
client_options with_timeout(client_options options, std::chrono::milliseconds timeout) {
  options.session_timeout = timeout;
  options.server_tick = 1ms;
  return options;
}

asio::awaitable<void> measure(examination& measured, client_options options,
                              const doctor_options& wanted) {
  const auto executor = co_await asio::this_coro::executor;
  options.log = [](log_level, std::string_view) {};
  client zk(executor, options);
  try {
    measured.cost =
        co_await measure_lock(zk, wanted.path, wanted.cycles, measured.asked.connect_timeout);
  } catch (const boost::system::system_error& e) {
    measured.cost_problem = text_of(e.code(), measured.asked);
  }
  co_await zk.close(asio::as_tuple(asio::deferred));
}

asio::awaitable<void> examine(examined_server& server, const server_question& question,
                              client_options options) {
  options.servers = server.answer.address;
  co_await question.ask(server.answer);
  // Without a connection there is no session either.
  if (!server.answer.time) {
    server.session.error = errc::not_connected;
    co_return;
  }
  co_await question.ask_tick(server.answer);
  co_await try_session(options, server.session);
}

// Only with the servers that have granted a session.
asio::awaitable<void> examine(examination& measured, const doctor_options& wanted) {
  std::string servers;
  for (const auto& [answer, session] : measured.servers)
    if (!session.error) servers += (servers.empty() ? "" : ",") + answer.address;
  auto options = measured.asked;
  if (!servers.empty()) options.servers = servers + split_servers(options.servers).chroot;
  const bool any = std::any_of(measured.servers.begin(), measured.servers.end(),
                               [](const auto& each) { return each.answer.time.has_value(); });
  if (any)
    co_await try_session(options, measured.session);
  else
    measured.session.error = errc::not_connected;
  if (measured.session.error) {
    measured.cost_problem = "no session";
    measured.shortest.error = measured.longest.error = measured.session.error;
    co_return;
  }
  co_await try_session(with_timeout(options, 100ms), measured.shortest);
  co_await try_session(with_timeout(options, 24h * 12), measured.longest);
  co_await measure(measured, options, wanted);
}

// Waits for all silent servers at the same time.
void examine_all(examination& measured, const doctor_options& wanted) {
  const auto rethrow = [](std::exception_ptr problem) {
    if (problem) std::rethrow_exception(problem);
  };
  const server_question question(measured.asked, measured.asked.connect_timeout);
  asio::io_context io{1};
  for (auto& each : split_servers(measured.asked.servers).addresses)
    measured.servers.push_back({.answer = {.address = std::move(each)}, .session = {}});
  for (auto& each : measured.servers)
    asio::co_spawn(io, examine(each, question, measured.asked), rethrow);
  io.run();
  io.restart();
  asio::co_spawn(io, examine(measured, wanted), rethrow);
  io.run();
}

json::value tls_to_json(const session_result& session) {
  if (!session.tls) return nullptr;
  json::object made{{"version", session.tls->version},
                    {"cipher", session.tls->cipher},
                    {"server_certificate_days", days_left(session.tls->server_expiry)},
                    {"client_certificate_days", nullptr}};
  if (session.tls->client_expiry)
    made["client_certificate_days"] = days_left(*session.tls->client_expiry);
  return made;
}

double in_milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string_view state_name(finding::state is) {
  switch (is) {
  case finding::state::ok:
    return "ok";
  case finding::state::problem:
    return "problem";
  case finding::state::unknown:
    break;
  }
  return "unknown";
}

void print_text(const examination& measured, const std::vector<finding>& findings) {
  text_table servers({{.heading = "SERVER"},
                      {.heading = "MODE"},
                      {.heading = "VERSION"},
                      {.heading = "SESSION IN", .numbers = true},
                      {.heading = "PROBLEM"}});
  for (const auto& [answer, session] : measured.servers) {
    const bool failed = static_cast<bool>(session.error);
    const auto or_unknown = [](const std::string& text) { return text.empty() ? "?" : text; };
    servers.add({printable(answer.address), or_unknown(printable(answer.mode)),
                 or_unknown(printable(answer.version)),
                 failed ? "-" : milliseconds_text(session.time),
                 printable(failed && answer.problem.empty() ? reason_of(session) : answer.problem)},
                failed);
  }
  servers.print(std::cout, colours_wanted());
  std::cout << '\n';
  text_table checks({{.heading = "CHECK"}, {.heading = "STATE"}, {.heading = "FOUND"}});
  for (const auto& each : findings)
    checks.add({each.name, std::string(state_name(each.is)), printable(each.text)},
               each.is == finding::state::problem);
  checks.print(std::cout, colours_wanted());
}

json::value or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(well_formed(text));
}

json::object server_to_json(const examined_server& server) {
  const auto& [answer, session] = server;
  json::object made{{"address", well_formed(answer.address)},
                    {"mode", or_null(answer.mode)},
                    {"version", or_null(answer.version)},
                    {"srvr_ms", nullptr},
                    {"session_ms", nullptr},
                    {"tls", tls_to_json(session)},
                    {"problem", or_null(answer.problem)}};
  if (answer.time) made["srvr_ms"] = in_milliseconds(*answer.time);
  if (session.error && answer.problem.empty()) made["problem"] = well_formed(reason_of(session));
  if (!session.error) made["session_ms"] = in_milliseconds(session.time);
  return made;
}

json::value timeout_of(const session_result& session) {
  return session.error ? json::value(nullptr) : json::value(session.timeout.count());
}

void print_json(const examination& measured, const std::vector<finding>& findings, bool healthy) {
  json::array servers;
  for (const auto& each : measured.servers)
    servers.push_back(server_to_json(each));
  json::object session{{"asked_ms", measured.asked.session_timeout.count()},
                       {"granted_ms", timeout_of(measured.session)},
                       {"shortest_ms", timeout_of(measured.shortest)},
                       {"longest_ms", timeout_of(measured.longest)},
                       {"tick_ms", nullptr}};
  if (const auto tick = tick_of(measured)) session["tick_ms"] = tick->count();
  json::value cost = nullptr;
  json::value clock = nullptr;
  if (measured.cost) {
    cost = json::object{{"cycles", measured.cost->cycles},
                        {"median_ms", in_milliseconds(measured.cost->median)},
                        {"p99_ms", in_milliseconds(measured.cost->p99)}};
    clock = measured.cost->clock_ahead.count();
  }
  json::array checks;
  for (const auto& each : findings)
    checks.push_back(json::object{
        {"name", each.name}, {"state", state_name(each.is)}, {"text", well_formed(each.text)}});
  std::cout << json_text(json::object{{"healthy", healthy},
                                      {"servers", servers},
                                      {"session", session},
                                      {"lock", cost},
                                      {"clock_ahead_ms", clock},
                                      {"checks", checks}})
            << '\n';
}

} // namespace

int doctor(const std::vector<std::string>& arguments) {
  namespace options = boost::program_options;
  connection_options connection;
  doctor_options wanted;
  options::options_description own("Options");
  auto add = own.add_options();
  add("path", options::value(&wanted.path)->value_name("PATH")->default_value(wanted.path),
      "where to acquire locks for the measurement; nothing is left there");
  add("cycles", options::value(&wanted.cycles)->value_name("N")->default_value(wanted.cycles),
      "how many times to acquire and release");
  add("json", options::bool_switch(&wanted.as_json), "print JSON, for programs");
  command_line line(
      "doctor [OPTION...]",
      "Checks whether each server grants a session, whether the options of this command "
      "suit the\nservers, and what a lock costs here. Exit code 1 if there is a "
      "problem.",
      "  zklock doctor --servers zk1:2181,zk2:2181,zk3:2181 --session-timeout 10s\n");
  line.add(own);
  line.add(connection.describe());
  if (!line.parse(arguments)) return exit_code::success;
  if (wanted.cycles == 0) throw usage_error("invalid --cycles 0: must be at least 1");

  examination measured{.asked = connection.make()};
  asio::io_context never_run{1};
  check_lock_path(client(never_run, measured.asked), wanted.path);
  examine_all(measured, wanted);
  const auto findings = judge(measured);
  const bool healthy = std::none_of(findings.begin(), findings.end(), [](const finding& each) {
    return each.is == finding::state::problem;
  });
  if (wanted.as_json)
    print_json(measured, findings, healthy);
  else
    print_text(measured, findings);
  return healthy ? exit_code::success : exit_code::conflict;
}

} // namespace zklock::cli
