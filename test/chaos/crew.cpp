#include "chaos/crew.hpp"

#include <zklock/testing/error.hpp>

#include "chaos/lines.hpp"
#include "chaos/locks.hpp"
#include "testing/last_lines.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

namespace chaos {
namespace {

namespace testing = zklock::testing;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::filesystem::path proc(pid_t id) {
  return "/proc/" + std::to_string(id);
}

std::vector<std::string> descriptors_of(pid_t id) {
  std::vector<std::string> all;
  for (const auto& each : std::filesystem::directory_iterator(proc(id) / "fd")) {
    std::error_code closed;
    const auto target = std::filesystem::read_symlink(each.path(), closed);
    if (!closed) all.push_back(each.path().filename().string() + " " + target.string());
  }
  return all;
}

// The execution contexts of a process on which bodies run. Each keeps a timer for them.
constexpr std::size_t loops_with_bodies = 2;

std::size_t count_timers(const std::vector<std::string>& descriptors) {
  return static_cast<std::size_t>(
      std::count_if(descriptors.begin(), descriptors.end(),
                    [](const auto& each) { return each.ends_with("[timerfd]"); }));
}

bool has_more_at_end(const incarnation& one) {
  const auto& before = one.descriptors_at_start;
  const auto& after = one.descriptors_at_end;
  return count_timers(after) > count_timers(before) + loops_with_bodies ||
         after.size() - count_timers(after) > before.size() - count_timers(before);
}

// Returns the resident memory; 0 where the process is gone.
std::size_t memory_of(pid_t id) {
  std::ifstream in(proc(id) / "statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Returns the end of a process's standard error, for a complaint.
std::string last_words(const std::filesystem::path& errors) {
  const auto text = testing::last_lines(errors, 40);
  return text.empty() ? "" : "; its last errors:\n" + text;
}

// The time after which a process has all its waiters and their caches.
constexpr auto warm_up = 15s;

// The exit status of kazoo_client.py after a fault of kazoo.
constexpr int kazoo_failed = 70;

} // namespace

crew::crew(cluster& servers, std::filesystem::path folder, std::uint64_t seed)
    : servers_(servers), folder_(std::move(folder)), seed_(seed) {
  for (std::size_t i = 0; i < clients; ++i)
    start(i);
}

std::vector<std::string> crew::command_of(const member& one) const {
  const auto& now = one.now;
  const std::string session = std::to_string(4'000 + 1'000 * (now.client % 3));
  const std::string seed = std::to_string(seed_ * 64 + now.client);
  const auto servers = servers_.addresses_for(now.client);
  if (now.kazoo)
    return {ZKLOCK_PYTHON,    "-B",         ZKLOCK_KAZOO_CLIENT,
            servers,          session,      now.log.string(),
            folder_.string(), now.name,     seed,
            mutex_path(0),    mutex_path(1)};
  std::vector<std::string> command{
      ZKLOCK_CHAOS_CLIENT, servers,          session,  std::to_string(cluster::tick.count()),
      now.log.string(),    folder_.string(), now.name, seed};
  if (cluster::uses_tls(now.client))
    for (const auto& file : servers_.client_certificate())
      command.push_back(file);
  return command;
}

std::filesystem::path crew::errors_of(const member& one) const {
  return folder_ / (one.now.name + ".errors");
}

void crew::start(std::size_t client) {
  auto& one = members_[client];
  std::lock_guard lock(one.mutex);
  if (one.process || one.dismissed) return;
  one.now = {};
  one.now.client = client;
  one.now.kazoo = client >= zklock_clients;
  {
    std::lock_guard guard(mutex_);
    one.now.name =
        (one.now.kazoo ? "k" : "c") + std::to_string(client) + '.' + std::to_string(count_++);
  }
  one.now.log = folder_ / (one.now.name + ".log");
  one.process.emplace(
      testing::child_options{.command = servers_.command_for(client, command_of(one)),
                             .piped = true,
                             .log = errors_of(one)});
  if (one.process->read_line() != "ready")
    throw testing::error("the client process " + one.now.name + " does not start");
  one.now.descriptors_at_start = descriptors_of(one.process->id());
  one.started = steady_clock::now();
  one.process->write_line("go");
}

void crew::end(member& one) {
  std::lock_guard lock(mutex_);
  past_.push_back(one.now);
  one.process.reset();
}

// Returns whether it was kazoo that ended the process, which must have ended.
bool crew::note_kazoo_failure(member& one) {
  if (!one.now.kazoo || one.process->wait() != kazoo_failed) return false;
  one.now.killed = one.now.kazoo_failed = true;
  return true;
}

void crew::kill(std::size_t client) {
  auto& one = members_[client];
  std::lock_guard lock(one.mutex);
  if (one.process) kill(one);
}

void crew::kill(member& one) {
  if (one.process->has_ended() && !note_kazoo_failure(one)) {
    std::lock_guard guard(mutex_);
    unexpected_.push_back("the process " + one.now.name + " has ended by itself: " +
                          one.process->how_it_ended() + last_words(errors_of(one)));
  }
  one.process->signal(SIGKILL);
  one.process->wait();
  one.now.killed = true;
  end(one);
}

void crew::pause(std::size_t client) {
  auto& one = members_[client];
  std::lock_guard lock(one.mutex);
  if (one.process) one.process->halt();
}

void crew::resume(std::size_t client) {
  auto& one = members_[client];
  std::lock_guard lock(one.mutex);
  if (one.process) one.process->signal(SIGCONT);
}

void crew::block(std::size_t client) {
  tell(client, "block");
}

void crew::unblock(std::size_t client) {
  tell(client, "unblock");
}

void crew::use_one_server(std::size_t client, std::uint32_t server) {
  tell(client, "use " + std::to_string(server % cluster::servers));
}

void crew::use_all_servers(std::size_t client) {
  tell(client, "use all");
}

void crew::tell(std::size_t client, const std::string& command) {
  auto& one = members_[client];
  std::lock_guard lock(one.mutex);
  if (one.process) one.process->write_line(command);
}

void crew::dismiss_kazoo() {
  for (std::size_t i = zklock_clients; i < clients; ++i) {
    std::lock_guard lock(members_[i].mutex);
    members_[i].dismissed = true;
    if (members_[i].process) kill(members_[i]);
  }
}

void crew::recall_kazoo() {
  for (std::size_t i = zklock_clients; i < clients; ++i) {
    {
      std::lock_guard lock(members_[i].mutex);
      members_[i].dismissed = false;
    }
    start(i);
  }
}

void crew::measure() {
  for (auto& one : members_) {
    std::lock_guard lock(one.mutex);
    if (!one.process) continue;
    const auto memory = memory_of(one.process->id());
    if (memory == 0) continue;
    one.now.most_memory = std::max(one.now.most_memory, memory);
    one.now.memory_at_end = memory;
    if (one.now.memory_at_start == 0 && steady_clock::now() - one.started > warm_up)
      one.now.memory_at_start = memory;
  }
}

std::vector<std::string> crew::stop() {
  measure();
  auto wrong = unexpected_;
  for (auto& one : members_) {
    if (!one.process) continue;
    try {
      one.process->write_line("stop");
    } catch (const testing::error&) {
      // It has ended by itself, which is reported below.
    }
  }
  for (auto& one : members_)
    if (one.process) await_end(one, wrong);
  return wrong;
}

void crew::await_end(member& one, std::vector<std::string>& wrong) {
  const auto complain = [&](const std::string& what) {
    wrong.push_back("the process " + one.now.name + ' ' + what + last_words(errors_of(one)));
  };
  try {
    const auto said = one.process->read_line(90s);
    if (said != "closed") complain("says: " + said);
    // The thread that ends the session may have a last descriptor to close.
    const auto limit = steady_clock::now() + 5s;
    do
      one.now.descriptors_at_end = descriptors_of(one.process->id());
    while (has_more_at_end(one.now) && steady_clock::now() < limit);
    one.process->close_input();
    if (!one.process->wait_for_end(20s))
      complain("does not end");
    else if (const int status = one.process->wait(); status != 0)
      complain("ends with status " + std::to_string(status));
  } catch (const testing::error& error) {
    const bool has_ended = one.process->has_ended();
    if (!has_ended || !note_kazoo_failure(one))
      complain(std::string("does not stop: ") + error.what() +
               (has_ended ? "; " + one.process->how_it_ended() : first_in_line(servers_)));
  }
  check_resources(one.now, wrong);
  end(one);
}

void crew::check_resources(const incarnation& one, std::vector<std::string>& wrong) const {
  // kazoo is no part of the test, and keeps some.
  if (one.kazoo) return;
  if (has_more_at_end(one)) {
    std::string text = "the process " + one.name + " has more descriptors at the end than its " +
                       std::to_string(one.descriptors_at_start.size()) + " at the start:";
    for (const auto& each : one.descriptors_at_end)
      text += " [" + each + ']';
    wrong.push_back(text);
  }
  constexpr std::size_t slack = std::size_t{16} << 20;
  if (one.memory_at_start > 0 && one.memory_at_end > 2 * one.memory_at_start + slack)
    wrong.push_back("the process " + one.name + " has grown from " +
                    std::to_string(one.memory_at_start) + " to " +
                    std::to_string(one.memory_at_end) + " bytes");
}

} // namespace chaos
