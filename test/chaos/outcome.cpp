#include "chaos/outcome.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <ostream>

namespace chaos {
namespace {

namespace json = boost::json;

std::int64_t milliseconds_of(nanoseconds time) {
  return time / 1'000'000;
}

json::object percentiles(std::vector<nanoseconds>& times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) {
    return times.empty() ? 0 : milliseconds_of(times[(times.size() - 1) * percent / 100]);
  };
  return {{"p50", at(50)}, {"p90", at(90)}, {"p99", at(99)}, {"longest", at(100)}};
}

std::string kind_of(const operation& one, bool kazoo) {
  const auto name = one.lock.substr(one.lock.rfind('/') + 1);
  auto kind = name.substr(0, name.find('-'));
  if (kind == "shared") kind = one.kind == mode::shared ? "reader" : "writer";
  return kazoo ? kind + " (kazoo)" : kind;
}

struct tally {
  std::size_t asked = 0;
  std::size_t granted = 0;
  std::size_t without_hold = 0;
  std::size_t lost = 0;
  std::vector<nanoseconds> waits;
};

void count(const outcome& all, std::map<std::string, tally>& by_kind, tally& total, tally& by_tls) {
  for (const auto& history : all.seen.histories)
    for (const auto& [number, one] : history.operations) {
      auto& kind = by_kind[kind_of(one, history.process.starts_with('k'))];
      for (tally* each : {&kind, &total, &by_tls}) {
        if (each == &by_tls && !history.tls) continue;
        ++each->asked;
        each->granted += one.granted != never;
        each->without_hold += one.granted == never && one.failed != never;
        each->lost += one.lost != never;
        if (one.granted != never) each->waits.push_back(one.granted - one.asked);
      }
    }
}

json::object to_json(tally& one) {
  return {{"asked", one.asked},
          {"granted", one.granted},
          {"ended without a hold", one.without_hold},
          {"lost", one.lost},
          {"ms of waiting", percentiles(one.waits)}};
}

json::array to_json(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

json::object data_of(const verdict& found) {
  return {{"fenced set: added", found.added_fenced},
          {"fenced set: refused by the storage", found.refused},
          {"set without a fence: added", found.added_unfenced},
          {"set without a fence: lost", found.lost_unfenced},
          {"file, with owns_lock() before a write: counted", found.checked.counted},
          {"file, with owns_lock() before a write: lost", found.checked.lost},
          {"file: counted", found.unchecked.counted},
          {"file: lost", found.unchecked.lost},
          {"commits", found.committed},
          {"commits of unknown outcome", found.unknown_commits}};
}

json::array processes_of(const outcome& all) {
  json::array processes;
  for (const auto& each : all.incarnations)
    processes.push_back(json::object{{"name", each.name},
                                     {"language", each.kazoo ? "Python" : "C++"},
                                     {"TLS", cluster::uses_tls(each.client)},
                                     {"killed", each.killed},
                                     {"kazoo failed", each.kazoo_failed},
                                     {"descriptors at the start", each.descriptors_at_start.size()},
                                     {"descriptors at the end", each.descriptors_at_end.size()},
                                     {"KiB at the start", each.memory_at_start / 1024},
                                     {"KiB at the end", each.memory_at_end / 1024},
                                     {"most KiB", each.most_memory / 1024}});
  return processes;
}

json::array faults_of(const outcome& all) {
  json::array faults;
  for (const auto& each : all.faults)
    faults.push_back(json::object{{"kind", name_of(each.kind)},
                                  {"target", each.target},
                                  {"begin ms", milliseconds_of(each.when.begin - all.when.begin)},
                                  {"end ms", milliseconds_of(each.when.end - all.when.begin)}});
  return faults;
}

} // namespace

json::object to_json(const outcome& all) {
  std::map<std::string, tally> by_kind;
  tally total;
  tally by_tls;
  count(all, by_kind, total, by_tls);
  json::object kinds;
  for (auto& [kind, one] : by_kind)
    kinds[kind] = to_json(one);
  std::map<std::string, std::size_t> fault_counts;
  for (const auto& each : all.faults)
    ++fault_counts[name_of(each.kind)];
  json::object faults;
  for (const auto& [kind, times] : fault_counts)
    faults[kind] = times;
  return {{"version", ZKLOCK_VERSION},
          {"servers", "ZooKeeper " + all.servers},
          {"seed", all.chosen.seed},
          {"network", all.network},
          {"small disk", all.small_disk},
          {"ms", milliseconds_of(all.when.end - all.when.begin)},
          {"violations", all.violation_count},
          {"complaints", to_json(all.violations)},
          {"acquires", to_json(total)},
          {"acquires by TLS", to_json(by_tls)},
          {"acquires by kind", std::move(kinds)},
          {"holds checked for overlaps", all.found.claims},
          {"holds of which no time is certain, not checked", all.found.without_claim},
          {"ms after a deadline, at most", milliseconds_of(all.found.latest_after_deadline)},
          {"connections lost", all.found.lost_connections},
          {"servers left that had a node which the quorum had not", all.found.phantoms},
          {"clients told of older data", all.found.told_of_older_data},
          {"clients told of it as servers differed", all.found.told_of_differences},
          {"holds and commits that servers lost by themselves", all.found.lost_by_servers},
          {"data", data_of(all.found)},
          {"faults", all.faults.size()},
          {"faults by kind", std::move(faults)},
          {"faults that failed", to_json(all.troubles)}};
}

json::object lists_of(const outcome& all) {
  return {{"processes", processes_of(all)}, {"list of faults", faults_of(all)}};
}

} // namespace chaos
