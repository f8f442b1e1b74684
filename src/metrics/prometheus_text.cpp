#include <zklock/metrics/prometheus_text.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::metrics {

namespace {

/// Some locks, and the labels of their samples.
struct lock_group {
  std::string labels;
  const lock_stats* figures;
};

struct counted {
  const char* name;
  const char* type;
  const char* help;
  std::uint64_t lock_stats::*value;
};

struct measured {
  const char* name;
  const char* help;
  duration_histogram lock_stats::*value;
};

struct reason {
  const char* name;
  std::uint64_t lost_holds::*value;
};

struct state {
  const char* name;
  connection_state value;
};

constexpr std::array all_counted{
    counted{"acquired_total", "counter", "Acquires that were granted", &lock_stats::acquired},
    counted{"reentered_total", "counter", "Acquires of an owner that held the lock already",
            &lock_stats::reentered},
    counted{"handovers_total", "counter",
            "Acquires whose entry was passed on inside the process, without ZooKeeper",
            &lock_stats::handed_over},
    counted{"timeouts_total", "counter", "Acquires that timed out", &lock_stats::timed_out},
    counted{"cancelled_total", "counter", "Acquires that the program cancelled",
            &lock_stats::cancelled},
    counted{"busy_total", "counter", "Tries that found the lock taken", &lock_stats::busy},
    counted{"failed_total", "counter", "Acquires that ended with any other error",
            &lock_stats::failed},
    counted{"released_total", "counter", "Holds that the program released", &lock_stats::released},
    counted{"release_requests_total", "counter", "Release requests that holders have received",
            &lock_stats::release_requests},
    counted{"holds", "gauge", "Locks that are held now", &lock_stats::holds},
    counted{"waiters", "gauge", "Acquires that wait now", &lock_stats::waiters}};

constexpr std::array all_measured{
    measured{"acquire_wait_seconds", "How long the granted acquires waited", &lock_stats::waited},
    measured{"hold_seconds", "How long locks were held", &lock_stats::held}};

constexpr std::array all_reasons{reason{"session_expired", &lost_holds::session_expired},
                                 reason{"data_rolled_back", &lost_holds::data_rolled_back},
                                 reason{"entry_deleted", &lost_holds::entry_deleted},
                                 reason{"hold_limit_reached", &lost_holds::hold_limit_reached},
                                 reason{"closed", &lost_holds::closed},
                                 reason{"failed", &lost_holds::failed}};

constexpr std::array all_states{state{"connecting", connection_state::connecting},
                                state{"connected", connection_state::connected},
                                state{"suspended", connection_state::suspended},
                                state{"reconnected", connection_state::reconnected},
                                state{"lost", connection_state::lost},
                                state{"closed", connection_state::closed}};

/// Returns how many bytes the UTF-8 character at the start of a text has; 0 if there is none.
std::size_t character_size(std::string_view text) {
  const auto at = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  // Neither longer than needed, nor a surrogate, nor beyond U+10FFFF.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < size; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  return size;
}

std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const auto size = character_size(text);
    if (size == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      result += R"(\\x)";
      result += digits[byte / 16];
      result += digits[byte % 16];
    } else if (text.front() == '\n') {
      result += R"(\n)";
    } else {
      if (text.front() == '"' || text.front() == '\\') result += '\\';
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string number(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Returns `name="value"`, behind the labels before.
std::string with_label(const std::string& labels, std::string_view name, std::string_view value) {
  std::string result = labels;
  if (!result.empty()) result += ',';
  result += name;
  result += "=\"";
  result += escaped(value);
  result += '"';
  return result;
}

/// The text, as far as it is written.
class page {
 public:
  /// Begins the samples of a name.
  void begin(const std::string& name, std::string_view type, std::string_view help) {
    text_ += "# HELP " + name + ' ';
    text_ += help;
    text_ += ".\n# TYPE " + name + ' ';
    text_ += type;
    text_ += '\n';
  }

  template <class Number>
  void add(const std::string& name, const std::string& labels, Number value) {
    text_ += name;
    if (!labels.empty()) text_ += '{' + labels + '}';
    text_ += ' ' + number(value) + '\n';
  }

  template <class Number>
  void add_one(const std::string& name, std::string_view type, std::string_view help,
               Number value) {
    begin(name, type, help);
    add(name, {}, value);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_histogram(page& to, const std::string& name, const std::string& labels,
                   const duration_histogram& durations) {
  const auto& bounds = duration_histogram::upper_bounds;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < durations.buckets.size(); ++i) {
    count += durations.buckets[i];
    to.add(name + "_bucket",
           with_label(labels, "le", i < bounds.size() ? number(bounds[i]) : "+Inf"), count);
  }
  to.add(name + "_sum", labels, durations.sum.count());
  to.add(name + "_count", labels, count);
}

void add_locks(page& to, const std::string& prefix, const std::string& which,
               const std::vector<lock_group>& groups) {
  for (const auto& each : all_counted) {
    to.begin(prefix + each.name, each.type, each.help + which);
    for (const auto& group : groups)
      to.add(prefix + each.name, group.labels, group.figures->*each.value);
  }
  to.begin(prefix + "lost_total", "counter", "Holds that were lost" + which);
  for (const auto& group : groups)
    for (const auto& each : all_reasons)
      to.add(prefix + "lost_total", with_label(group.labels, "reason", each.name),
             group.figures->lost.*each.value);
  for (const auto& each : all_measured) {
    to.begin(prefix + each.name, "histogram", each.help + which);
    for (const auto& group : groups)
      add_histogram(to, prefix + each.name, group.labels, group.figures->*each.value);
  }
}

void add_client(page& to, const stats& all) {
  to.add_one("zklock_broken_total", "counter", "Znodes that break_lock deleted", all.broken);
  to.add_one("zklock_requests_total", "counter", "Requests to ZooKeeper, without pings",
             all.requests);
  to.add_one("zklock_reconnects_total", "counter", "Connections made again to the same session",
             all.reconnects);
  to.add_one("zklock_session_expiries_total", "counter", "Sessions that expired",
             all.session_expiries);
  to.add_one("zklock_data_rollbacks_total", "counter", "Times that the servers had older data",
             all.data_rollbacks);
  to.add_one("zklock_session_margin_seconds", "gauge",
             "How long the session is certain to live; 0 without locks in use",
             std::chrono::duration<double>(all.margin).count());
  if (all.tls) {
    const auto seconds_left = [](std::chrono::system_clock::time_point expiry) {
      return std::chrono::duration<double>(expiry - std::chrono::system_clock::now()).count();
    };
    to.begin("zklock_certificate_seconds_left", "gauge",
             "How long the certificates of the newest TLS connection are valid");
    to.add("zklock_certificate_seconds_left", with_label({}, "of", "server"),
           seconds_left(all.tls->server_expiry));
    if (all.tls->client_expiry)
      to.add("zklock_certificate_seconds_left", with_label({}, "of", "client"),
             seconds_left(*all.tls->client_expiry));
  }
  const bool connected =
      all.state == connection_state::connected || all.state == connection_state::reconnected;
  to.add_one("zklock_connected", "gauge", "Whether a connection to ZooKeeper stands",
             std::uint64_t{connected});
  to.begin("zklock_connection_state", "gauge", "1 for the state of the connection");
  for (const auto& each : all_states)
    to.add("zklock_connection_state", with_label({}, "state", each.name),
           std::uint64_t{each.value == all.state});
}

} // namespace

std::string prometheus_text(const stats& all) {
  page text;
  text.begin("zklock_build_info", "gauge", "1; the label has the version of zklock");
  text.add("zklock_build_info", with_label({}, "version", ZKLOCK_VERSION), std::uint64_t{1});
  add_client(text, all);
  add_locks(text, "zklock_client_", ", of all locks of the client", {{{}, &all.total}});
  std::vector<lock_group> labelled;
  for (const auto& [label, figures] : all.by_label)
    labelled.push_back({with_label({}, "lock", label), &figures});
  add_locks(text, "zklock_", ", by the label of the lock", labelled);
  return text.take();
}

} // namespace zklock::metrics
