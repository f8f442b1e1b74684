#include "zookeeper/session_record.hpp"

#include <utility>

namespace zklock::zookeeper {

using std::chrono::milliseconds;

session_record::session_record(milliseconds timeout, milliseconds tick)
    : asked_(timeout), timeout_(timeout), validity_(tick) {}

introduction session_record::begin_attempt() noexcept {
  attempt_begun_ = boot_clock::now();
  return {.session = id_, .last_zxid_seen = writes_.told()};
}

void session_record::established(const clientid_t& granted, milliseconds timeout) {
  const bool is_new = granted.client_id != id_.client_id;
  id_ = granted;
  timeout_ = timeout;
  if (is_new) {
    validity_.expired();
    answered_ = false;
  }
  validity_.connected(attempt_begun_, boot_clock::now(), timeout_, is_new);
}

bool session_record::introduce() noexcept {
  return std::exchange(known_, id_.client_id) == 0;
}

std::int64_t session_record::end_known() noexcept {
  return std::exchange(known_, 0);
}

bool session_record::is_timeout_news() noexcept {
  return timeout_ != asked_ && timeout_ != std::exchange(logged_timeout_, timeout_);
}

void session_record::answered(boot_clock::time_point sent, bool committed,
                              std::int64_t newest_write) {
  answered_ = true;
  validity_.answered(sent, boot_clock::now(), committed);
  writes_.saw(newest_write);
}

void session_record::forget() noexcept {
  id_ = {};
  answered_ = false;
  validity_.expired();
  timeout_ = asked_;
}

} // namespace zklock::zookeeper
