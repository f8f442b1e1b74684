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

std::string readable(const server_address& server) {
  const bool is_v6 = server.host.find(':') != server.host.npos;
  return (is_v6 ? '[' + server.host + ']' : server.host) + ':' + std::to_string(server.port);
}

resolver::resolver(strand executor, const std::vector<server_address>& servers, logger& log)
    : executor_(std::move(executor)), log_(log) {
  set_servers(servers);
}

void resolver::attach(std::weak_ptr<resolver> self, found_function found) {
  self_ = std::move(self);
  found_ = std::move(found);
}

void resolver::set_servers(const std::vector<server_address>& servers) {
  auto before = std::exchange(servers_, {});
  for (const auto& name : servers) {
    const auto stays = std::find_if(before.begin(), before.end(),
                                    [&name](const auto& each) { return each->name == name; });
    if (stays == before.end()) {
      servers_.push_back(make_server(name));
      continue;
    }
    servers_.push_back(std::move(*stays));
    before.erase(stays);
  }
}

std::shared_ptr<resolver::server> resolver::make_server(const server_address& name) {
  auto made = std::make_shared<server>();
  made->name = name;
  error_code not_numeric;
  const auto address = asio::ip::make_address(name.host, not_numeric);
  made->numeric = !not_numeric;
  if (made->numeric) made->addresses.emplace_back(address, name.port);
  return made;
}

void resolver::refresh() {
  // A slow name must not delay fast names.
  std::sort(servers_.begin(), servers_.end(),
            [](const auto& a, const auto& b) { return a->duration < b->duration; });
  for (const auto& each : servers_) {
    if (each->numeric) continue;
    if (!each->in_flight)
      look_up(each);
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

std::vector<std::string> resolver::hosts_of(const endpoint& address) const {
  std::vector<std::string> all, with_address;
  for (const auto& each : servers_) {
    all.push_back(each->name.host);
    if (std::find(each->addresses.begin(), each->addresses.end(), address) != each->addresses.end())
      with_address.push_back(each->name.host);
  }
  return with_address.empty() ? all : with_address;
}

bool resolver::knows_all() const noexcept {
  return std::none_of(servers_.begin(), servers_.end(),
                      [](const auto& each) { return each->addresses.empty(); });
}

bool resolver::is_looking_up() const noexcept {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& each) { return each->in_flight; });
}

void resolver::stop() {
  stopped_ = true;
  for (const auto& each : servers_)
    if (each->names) each->names->cancel();
}

void resolver::look_up(const std::shared_ptr<server>& which) {
  which->started = clock::now();
  try {
    if (!which->names) which->names.emplace(executor_);
    which->names->async_resolve(
        which->name.host, std::to_string(which->name.port),
        [self = self_, asked = std::weak_ptr(which)](error_code error, const auto& results) {
          const auto alive = self.lock();
          if (!alive || alive->stopped_) return;
          const auto now = clock::now();
          const auto free_since = std::exchange(alive->last_result_, now);
          const auto found = asked.lock();
          if (!found) return;
          found->in_flight = false;
          found->duration = now - std::max(found->started, free_since);
          if (error) {
            alive->failed(*found, error.message());
            return alive->found_({});
          }
          found->addresses.clear();
          for (const auto& result : results)
            found->addresses.push_back(result.endpoint());
          alive->found_(found->addresses);
        });
    which->in_flight = true;
  } catch (const boost::system::system_error& no_thread) {
    failed(*which, no_thread.code().message());
  }
}

// The server keeps its earlier addresses.
void resolver::failed(const server& which, const std::string& why) {
  log_.once(log_level::warning, "cannot resolve ", which.name.host, ": ", why);
}

} // namespace zklock::zookeeper
