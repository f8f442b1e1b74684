#include "client/client_counters.hpp"

#include <algorithm>

namespace zklock::detail {

lock_counters& client_counters::labelled(const std::string& label) {
  if (label.empty()) return unlabelled_;
  const auto [it, is_new] = groups_.try_emplace(label);
  group& found = it->second;
  if (is_new) {
    found.label = &it->first;
    found.before = newest_.load(std::memory_order_relaxed);
    newest_.store(&found, std::memory_order_release);
  }
  return found.counters;
}

void client_counters::set_tls(const tls_stats& newest) {
  auto found = std::find(tls_.begin(), tls_.end(), newest);
  if (found == tls_.end()) found = tls_.insert(tls_.end(), newest);
  newest_tls_.store(&*found, std::memory_order_release);
}

stats client_counters::snapshot() const {
  stats all;
  all.total = unlabelled_.read();
  for (auto* each = newest_.load(std::memory_order_acquire); each; each = each->before) {
    // Each group is read once, so that the total is the sum of the labels.
    const lock_stats labelled = each->counters.read();
    all.by_label.emplace(*each->label, labelled);
    add(all.total, labelled);
  }
  all.broken = broken.value();
  all.requests = requests.value();
  all.reconnects = reconnects.value();
  all.session_expiries = session_expiries.value();
  all.data_rollbacks = data_rollbacks.value();
  if (const auto* tls = newest_tls_.load(std::memory_order_acquire)) all.tls = *tls;
  return all;
}

} // namespace zklock::detail
