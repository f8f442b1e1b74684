#include <zklock/testing/ensemble.hpp>

#include "testing/peer_links.hpp"
#include "testing/server_impl.hpp"
#include "testing/server_queries.hpp"

#include <functional>
#include <thread>
#include <vector>

namespace zklock::testing {

using std::chrono::milliseconds;

class ensemble::impl {
 public:
  impl(std::size_t size, const server_options& options);

  void launch();
  server& find(const std::string& mode, milliseconds limit);
  void wait_until_serving(milliseconds limit);

  std::vector<std::unique_ptr<server>> servers;
  std::shared_ptr<peer_links> links;
  milliseconds start_timeout;

 private:
  static bool serves(const server& one);
  [[noreturn]] void fail(const std::string& what, milliseconds limit) const;
  /// Polls, since servers do not report changes of their state.
  bool poll(milliseconds limit, const std::function<bool()>& done) const;
};

ensemble::impl::impl(std::size_t size, const server_options& options)
    : links(std::make_shared<peer_links>(size)),
      start_timeout(options.start_timeout * static_cast<int>(size)) {
  if (size < 2)
    throw error("invalid ensemble size " + std::to_string(size) + ": must be 2 or more");
  std::shared_ptr<temporary_directory> temporary;
  std::filesystem::path folder = options.data_directory;
  if (folder.empty()) {
    temporary = std::make_shared<temporary_directory>();
    folder = temporary->path();
  }
  folder = std::filesystem::absolute(folder);
  for (std::size_t i = 0; i != size; ++i) {
    server_options own = options;
    own.start_timeout = start_timeout;
    if (own.port != 0) own.port = static_cast<std::uint16_t>(own.port + i);
    auto member =
        std::make_unique<server::impl>(own, folder / std::to_string(i + 1), temporary, links, i);
    servers.push_back(std::unique_ptr<server>(new server(std::move(member))));
  }
}

void ensemble::impl::launch() {
  for (const auto& one : servers)
    one->impl_->launch();
  for (const auto& one : servers)
    one->impl_->wait_until_ready();
  wait_until_serving(start_timeout);
}

bool ensemble::impl::serves(const server& one) {
  try {
    return !one.mode().empty();
  } catch (const error&) {
    return false;
  }
}

bool ensemble::impl::poll(milliseconds limit, const std::function<bool()>& done) const {
  deadline until(limit);
  while (!done()) {
    if (until.over()) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

void ensemble::impl::fail(const std::string& what, milliseconds limit) const {
  std::string text =
      "ZooKeeper ensemble: " + what + " within " + std::to_string(limit.count()) + " ms";
  for (const auto& one : servers)
    text.append("\n")
        .append(one->address())
        .append(one->running() ? "" : " (not running)")
        .append(", the end of its log:\n")
        .append(one->log_tail(10));
  throw error(text);
}

server& ensemble::impl::find(const std::string& mode, milliseconds limit) {
  server* found = nullptr;
  bool ended = poll(limit, [&] {
    for (const auto& one : servers) {
      try {
        if (one->impl_->is_unimpaired() && one->mode() == mode) found = one.get();
      } catch (const error&) {
        // The server has just stopped, or does not reply yet.
      }
    }
    return found != nullptr;
  });
  if (!ended) fail("no server became " + mode, limit);
  return *found;
}

void ensemble::impl::wait_until_serving(milliseconds limit) {
  for (const auto& one : servers)
    if (!poll(limit, [&] { return !one->impl_->is_unimpaired() || serves(*one); }))
      fail("the server on " + one->address() + " did not serve clients", limit);
}

ensemble::ensemble(std::size_t size, const server_options& options, detail::build_settings)
    : impl_(std::make_unique<impl>(size, options)) {
  impl_->launch();
}

ensemble::~ensemble() = default;

std::size_t ensemble::size() const {
  return impl_->servers.size();
}

server& ensemble::operator[](std::size_t index) {
  return *impl_->servers.at(index);
}

const server& ensemble::operator[](std::size_t index) const {
  return *impl_->servers.at(index);
}

std::string ensemble::addresses() const {
  std::string all;
  for (const auto& one : impl_->servers)
    all.append(all.empty() ? "" : ",").append(one->address());
  return all;
}

std::string ensemble::secure_addresses() const {
  std::string all;
  for (const auto& one : impl_->servers)
    all.append(all.empty() ? "" : ",").append(one->secure_address());
  return all;
}

server& ensemble::leader(milliseconds limit) {
  return impl_->find("leader", limit);
}

server& ensemble::follower(milliseconds limit) {
  return impl_->find("follower", limit);
}

void ensemble::wait_until_serving(milliseconds limit) {
  impl_->wait_until_serving(limit);
}

void ensemble::cut_link(std::size_t one, std::size_t other, cut how) {
  if (one == other || one >= size() || other >= size())
    throw error("invalid link between the servers " + std::to_string(one) + " and " +
                std::to_string(other) + ": must be two different servers of the ensemble");
  impl_->links->cut_pair(one, other, how);
}

void ensemble::delay(std::chrono::microseconds time) {
  for (const auto& one : impl_->servers)
    for (const auto way : {direction::to_server, direction::to_client})
      one->clients().delay(way, time);
  impl_->links->delay(time);
}

void ensemble::heal() {
  impl_->links->delay({});
  for (const auto& one : impl_->servers)
    one->heal();
}

void ensemble::start() {
  impl_->launch();
}

void ensemble::stop() {
  for (const auto& one : impl_->servers)
    one->stop();
}

std::uint64_t ensemble::requests(operation kind) const {
  std::uint64_t total = 0;
  for (const auto& one : impl_->servers)
    total += one->requests(kind);
  return total;
}

std::uint64_t ensemble::total_requests() const {
  std::uint64_t total = 0;
  for (const auto& one : impl_->servers)
    total += one->total_requests();
  return total;
}

void ensemble::reset_counts() {
  for (const auto& one : impl_->servers)
    one->reset_counts();
}

bool ensemble::expire(std::int64_t session_id) {
  return leader().expire(session_id);
}

} // namespace zklock::testing
