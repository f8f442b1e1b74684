#include <zklock/testing/server.hpp>

#include "testing/last_lines.hpp"
#include "testing/server_impl.hpp"
#include "testing/server_queries.hpp"

#include <charconv>
#include <cmath>

namespace zklock::testing {

constexpr std::chrono::seconds reply_limit{10};

server::server(server_options options, detail::build_settings)
    : impl_(std::make_unique<impl>(std::move(options))) {
  impl_->start();
}

server::server(std::unique_ptr<impl> member) : impl_(std::move(member)) {}

server::~server() = default;

std::string server::address() const {
  return impl_->address();
}

std::uint16_t server::port() const {
  return impl_->clients().port();
}

std::string server::direct_address() const {
  return impl_->direct_address();
}

std::string server::secure_address() const {
  return impl_->secure_clients().address();
}

relay& server::secure_clients() {
  return impl_->secure_clients();
}

void server::start() {
  impl_->start();
}

void server::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}

void server::kill() {
  impl_->kill();
}

void server::restart() {
  stop();
  start();
}

void server::pause() {
  impl_->pause();
}

void server::resume() {
  impl_->resume();
}

bool server::running() const {
  return impl_->running();
}

pid_t server::process_id() const {
  return impl_->process_id();
}

void server::cut_from_clients(cut how) {
  impl_->cut_from_clients(how);
}

void server::cut_from_peers(cut how) {
  impl_->cut_from_peers(how);
}

void server::heal() {
  impl_->heal();
}

relay& server::clients() {
  return impl_->clients();
}

std::uint64_t server::requests(operation kind) const {
  return impl_->clients().requests(kind);
}

std::uint64_t server::total_requests() const {
  return impl_->clients().total_requests();
}

void server::reset_counts() {
  impl_->clients().reset_counts();
}

bool server::expire(std::int64_t session_id) {
  return close_session(direct_address(), session_id, deadline(reply_limit));
}

std::string server::four_letter_word(std::string_view word) const {
  return query(direct_address(), word, deadline(reply_limit));
}

std::map<std::string, std::string> server::counters() const {
  return parse_counters(four_letter_word("mntr"));
}

std::int64_t server::counter(const std::string& name) const {
  auto all = counters();
  auto found = all.find(name);
  if (found == all.end())
    throw error("the ZooKeeper server on " + direct_address() + " has no counter " + name);
  const auto& text = found->second;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::llround(number);
}

std::string server::mode() const {
  if (!impl_->running() || impl_->halted()) return {};
  return query_mode(direct_address(), deadline(reply_limit));
}

std::filesystem::path server::data_directory() const {
  return impl_->files().folder();
}

std::string server::log_tail(std::size_t lines) const {
  return last_lines(impl_->files().log(), lines);
}

} // namespace zklock::testing
