#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

/// The newest events of the shop, as the page shows them.
class event_log {
 public:
  void add(const std::string& text) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    events_.insert(
        events_.begin(),
        boost::json::object{{"number", ++count_}, {"time", milliseconds}, {"text", text}});
    if (events_.size() > kept) events_.pop_back();
  }

  /// Returns the events, the newest first.
  const boost::json::array& events() const { return events_; }

 private:
  static constexpr std::size_t kept = 50;

  boost::json::array events_;
  std::uint64_t count_ = 0;
};
