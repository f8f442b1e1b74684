#include "zookeeper/resolver.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;

std::string c_client_form(const endpoint& address) {
  return address.address().to_string() + ':' + std::to_string(address.port());
}

std::string readable(const endpoint& address) {
  if (address.address().is_v4()) return c_client_form(address);
  return '[' + address.address().to_string() + "]:" + std::to_string(address.port());
}

resolver::resolver(strand executor, const std::vector<server_address>& servers, const logger& log)
    : executor_(std::move(executor)), log_(log), timer_(executor_) {
  servers_.reserve(servers.size());
  for (const auto& name : servers) {
    auto& added = servers_.emplace_back(server{name, false, {}});
    error_code not_numeric;
    const auto address = asio::ip::make_address(name.host, not_numeric);
    if (not_numeric) continue;
    added.numeric = true;
    added.addresses.emplace_back(address, name.port);
  }
}

void resolver::resolve(const std::weak_ptr<resolver>& self, std::chrono::milliseconds patience,
                       found_function found) {
  stop();
  found_ = std::move(found);
  for (auto& each : servers_) {
    if (!each.numeric) ask(self, each);
  }
  if (unanswered_ == 0) return finish();
  timer_.expires_after(patience);
  timer_.async_wait([self, round = round_](error_code cancelled) {
    if (cancelled) return;
    if (const auto alive = self.lock(); alive && alive->round_ == round) {
      alive->log_(log_level::warning, "names of servers are not resolved yet, going on without");
      alive->finish();
    }
  });
}

void resolver::stop() {
  ++round_;
  unanswered_ = 0;
  found_ = nullptr;
  timer_.cancel();
  if (names_) names_->cancel();
}

void resolver::ask(const std::weak_ptr<resolver>& self, server& which) {
  try {
    if (!names_) names_.emplace(executor_);
    names_->async_resolve(which.name.host, std::to_string(which.name.port),
                          [self, round = round_, &which](error_code error, const auto& results) {
                            const auto alive = self.lock();
                            if (!alive || error == asio::error::operation_aborted) return;
                            if (error) {
                              alive->failed(which, error.message());
                            } else {
                              which.addresses.clear();
                              for (const auto& result : results)
                                which.addresses.push_back(result.endpoint());
                            }
                            // An answer that comes too late for its round is good for the next.
                            if (alive->round_ == round && --alive->unanswered_ == 0)
                              alive->finish();
                          });
    ++unanswered_;
  } catch (const boost::system::system_error& no_thread) {
    failed(which, no_thread.code().message());
  }
}

void resolver::failed(const server& which, const std::string& why) {
  log_(log_level::warning, "cannot resolve ", which.name.host, ": ", why);
}

void resolver::finish() {
  std::vector<endpoint> all;
  for (const auto& each : servers_) {
    all.insert(all.end(), each.addresses.begin(), each.addresses.end());
  }
  const auto found = std::exchange(found_, nullptr);
  ++round_;
  unanswered_ = 0;
  timer_.cancel();
  found(std::move(all));
}

} // namespace zklock::zookeeper
