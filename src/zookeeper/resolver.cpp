#include "zookeeper/resolver.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// The age of a look-up that is logged.
constexpr std::chrono::seconds slow{5};

} // namespace

std::string c_client_form(const endpoint& address) {
  return address.address().to_string() + ':' + std::to_string(address.port());
}

std::string readable(const endpoint& address) {
  if (address.address().is_v4()) return c_client_form(address);
  return '[' + address.address().to_string() + "]:" + std::to_string(address.port());
}

resolver::resolver(strand executor, const std::vector<server_address>& servers, logger& log)
    : executor_(std::move(executor)), log_(log) {
  for (const auto& name : servers) {
    auto& added = *servers_.emplace_back(std::make_unique<server>());
    added.name = name;
    error_code not_numeric;
    const auto address = asio::ip::make_address(name.host, not_numeric);
    if (not_numeric) continue;
    added.numeric = true;
    added.addresses.emplace_back(address, name.port);
  }
}

void resolver::attach(std::weak_ptr<resolver> self, found_function found) {
  self_ = std::move(self);
  found_ = std::move(found);
}

void resolver::refresh() {
  // A slow name must not delay fast names.
  std::sort(servers_.begin(), servers_.end(),
            [](const auto& a, const auto& b) { return a->duration < b->duration; });
  for (const auto& each : servers_) {
    if (each->numeric) continue;
    if (!each->in_flight)
      look_up(*each);
    else if (clock::now() - each->started >= slow)
      log_.once(log_level::warning, each->name.host, " is not resolved yet");
  }
}

std::vector<endpoint> resolver::known() const {
  std::vector<endpoint> all;
  for (const auto& each : servers_)
    all.insert(all.end(), each->addresses.begin(), each->addresses.end());
  return all;
}

bool resolver::knows_all() const noexcept {
  return std::none_of(servers_.begin(), servers_.end(),
                      [](const auto& each) { return each->addresses.empty(); });
}

void resolver::stop() {
  stopped_ = true;
  if (names_) names_->cancel();
}

void resolver::look_up(server& which) {
  which.started = clock::now();
  try {
    if (!names_) names_.emplace(executor_);
    names_->async_resolve(
        which.name.host, std::to_string(which.name.port),
        [self = self_, &which](error_code error, const auto& results) {
          const auto alive = self.lock();
          if (!alive || alive->stopped_) return;
          const auto now = clock::now();
          which.in_flight = false;
          which.duration = now - std::max(which.started, std::exchange(alive->last_result_, now));
          if (error) return alive->failed(which, error.message());
          which.addresses.clear();
          for (const auto& result : results)
            which.addresses.push_back(result.endpoint());
          alive->found_(which.addresses);
        });
    which.in_flight = true;
  } catch (const boost::system::system_error& no_thread) {
    failed(which, no_thread.code().message());
  }
}

// The server keeps its earlier addresses.
void resolver::failed(const server& which, const std::string& why) {
  log_.once(log_level::warning, "cannot resolve ", which.name.host, ": ", why);
}

} // namespace zklock::zookeeper
