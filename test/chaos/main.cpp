// Runs an ensemble and its clients under random faults; see `usage` in options.hpp.
#include "chaos/drawing.hpp"
#include "chaos/finals.hpp"
#include "chaos/hosts.hpp"
#include "chaos/locks.hpp"
#include "chaos/outcome.hpp"
#include "chaos/storage.hpp"
#include "testing/temporary_directory.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>

using namespace chaos;
using namespace std::chrono_literals;

namespace {

// Signals end the run early. They are blocked in all threads, and awaited in this thread.
sigset_t signals_of_end() {
  sigset_t all;
  sigemptyset(&all);
  for (const int each : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&all, each);
  return all;
}

// Returns whether a signal came before the time.
bool interrupted_before(std::chrono::steady_clock::time_point time, const sigset_t& signals) {
  const auto left = std::max(time - std::chrono::steady_clock::now(), 0ns);
  const timespec limit{.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
  return ::sigtimedwait(&signals, nullptr, &limit) > 0;
}

std::map<std::string, std::uint64_t> read_counters(const std::filesystem::path& folder) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    const auto name = each.path().filename().string();
    if (name.starts_with("checked-") || name.starts_with("unchecked-"))
      std::ifstream(each.path()) >> all[name];
  }
  return all;
}

void read_histories(outcome& all) {
  for (const auto& each : all.incarnations) {
    std::ifstream log(each.log);
    all.seen.histories.push_back(read_history(log, each.name));
    all.seen.histories.back().killed = each.killed;
    all.seen.histories.back().tls = cluster::uses_tls(each.client);
    for (const auto& fault : all.faults) {
      if (fault.client != static_cast<int>(each.client)) continue;
      if (fault.kind == fault_kind::pause_client) all.seen.paused[each.name].push_back(fault.when);
      if (fault.kind == fault_kind::block_loop) all.seen.blocked[each.name].push_back(fault.when);
      all.seen.disturbed[each.name].push_back(fault.when);
    }
    for (const auto& fault : all.faults)
      if (is_of_servers(fault.kind)) all.seen.disturbed[each.name].push_back(fault.when);
  }
}

bool has_held_a_lock_by_tls(const history& one) {
  return one.tls && std::any_of(one.operations.begin(), one.operations.end(),
                                [](const auto& each) { return each.second.granted != never; });
}

void judge(outcome& all, std::vector<std::string> wrong) {
  const auto& histories = all.seen.histories;
  if (std::none_of(histories.begin(), histories.end(), has_held_a_lock_by_tls))
    wrong.push_back("no client by TLS has held a lock");
  all.found = check(all.seen);
  all.violation_count = all.found.violations + wrong.size();
  all.violations = std::move(wrong);
  all.violations.insert(all.violations.end(), all.found.complaints.begin(),
                        all.found.complaints.end());
}

// Ends all faults that the nemesis could not end.
void repair(cluster& servers, crew& clients, bool may_demand) {
  servers.demand_authentication(false);
  for (std::size_t i = 0; i < cluster::servers; ++i) {
    servers.resume(i);
    servers.heal_server(i);
    servers.start(i);
  }
  for (std::size_t i = 0; i < crew::clients; ++i)
    servers.heal_client(i);
  for (std::size_t i = 0; may_demand && i < cluster::servers; ++i) {
    servers.settle();
    servers.stop(i);
    servers.start(i);
  }
  servers.wait_until_serving();
  clients.recall_kazoo();
}

// Returns whether the run came to its end.
bool run(outcome& all, const std::filesystem::path& folder, const sigset_t& signals) {
  const auto length = std::chrono::duration_cast<milliseconds>(
      std::chrono::duration<double, std::ratio<60>>(all.chosen.minutes));
  const auto plan = make_plan(all.chosen.seed, length, crew::clients, all.chosen.only);
  const auto data = folder / "servers";
  const auto disk_folder = data / std::to_string(small_disk::server + 1) / "data";
  std::filesystem::create_directories(disk_folder);
  small_disk disk(disk_folder, 64 + static_cast<std::size_t>(16 * all.chosen.minutes));
  all.small_disk = disk.exists();
  storage sets(folder / "storage");
  const auto servers = all.network == "relay" ? make_relayed_cluster(data, crew::clients)
                                              : make_namespaced_cluster(data, crew::clients);
  prepare_znodes(*servers);
  crew clients(*servers, folder, all.chosen.seed);
  std::cout << "seed " << all.chosen.seed << ", network: " << all.network << std::endl;

  all.when.begin = boot_time();
  nemesis faults(*servers, clients, disk, plan, folder);
  const auto end = std::chrono::steady_clock::now() + length;
  for (auto now = std::chrono::steady_clock::now(); now < end;
       now = std::chrono::steady_clock::now()) {
    if (interrupted_before(std::min(end, now + 250ms), signals)) return false;
    const auto leads = servers->leader();
    all.leaders.push_back({boot_time(), leads});
    clients.measure();
  }
  faults.stop();
  repair(*servers, clients, faults.may_demand());
  auto wrong = clients.stop();
  all.when.end = boot_time();

  auto left = look_at_remains(*servers);
  wrong.insert(wrong.end(), left.wrong.begin(), left.wrong.end());
  sets.stop();
  all.servers = left.version;
  all.faults = faults.faults();
  all.troubles = faults.troubles();
  all.incarnations = clients.incarnations();
  all.seen.by_hand = faults.by_hand();
  all.seen.restores = faults.restores();
  all.seen.demands = faults.demands();
  all.seen.logged = read_logs(servers->data_of_all());
  all.seen.logged->merge(faults.logged());
  for (std::size_t i = 1; i <= cluster::servers; ++i) {
    const auto log = data / std::to_string(i) / "server.log";
    for (const auto each : read_differences(log))
      all.seen.differences.push_back(each);
    for (const auto each : read_crashes(log))
      all.seen.crashes.push_back(each);
  }
  all.seen.commits = std::move(left.commits);
  all.seen.fenced_sets = sets.sets("fenced-");
  all.seen.unfenced_sets = sets.sets("set-");
  all.seen.counters = read_counters(folder);
  all.seen.permit_limit = permit_limit;
  read_histories(all);
  judge(all, std::move(wrong));
  return true;
}

void write_results(const outcome& all, const boost::json::object& result,
                   const std::filesystem::path& folder) {
  const auto& out = all.chosen.out;
  if (out.empty()) return;
  std::filesystem::create_directories(out);
  std::ofstream summary(out / "summary.json");
  write(summary, result);
  auto whole = result;
  const auto lists = lists_of(all);
  for (const auto& list : lists)
    whole.insert(list);
  std::ofstream complete(out / "result.json");
  write(complete, whole);
  std::ofstream picture(out / "run.svg");
  draw(picture, all);
  if (all.violation_count == 0 && !all.chosen.logs) return;
  for (const auto& each : std::filesystem::directory_iterator(folder))
    if (each.path().extension() == ".log" || each.path().extension() == ".errors")
      std::filesystem::copy_file(each.path(), out / each.path().filename(),
                                 std::filesystem::copy_options::overwrite_existing);
  for (std::size_t i = 1; i <= cluster::servers; ++i) {
    const auto name = std::to_string(i);
    std::filesystem::copy_file(folder / "servers" / name / "server.log",
                               out / ("server-" + name + ".log"),
                               std::filesystem::copy_options::overwrite_existing);
  }
}

} // namespace

int main(int count, char** arguments) try {
  outcome all;
  all.chosen = read_options(count, arguments);
  if (all.chosen.help) {
    std::cout << usage;
    return EXIT_SUCCESS;
  }
  const auto signals = signals_of_end();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Outside of the namespaces, so that it is removed there.
  const zklock::testing::temporary_directory folder;
  all.network = all.chosen.network;
  if (all.network != "relay") all.network = hosts::are_permitted() ? "namespaces" : "relay";
  if (all.chosen.network == "namespaces" && all.network != all.chosen.network)
    throw std::runtime_error("network namespaces are not permitted here");
  if (!leave_namespaces(all.network == "namespaces"))
    std::cout << "no mounts are permitted: no disk is filled\n";
  if (!run(all, folder.path(), signals)) {
    std::cerr << "chaos: interrupted" << std::endl;
    return EXIT_FAILURE;
  }
  const auto result = to_json(all);
  write_results(all, result, folder.path());
  print(std::cout, result);
  if (all.violation_count != 0) print_faults(std::cout, all.faults);
  return all.violation_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::cerr << "chaos: " << error.what() << std::endl;
  return 2;
}
