#include <zklock/testing/frame.hpp>
#include <zklock/testing/raw_client.hpp>

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/raw_client_impl.hpp"
#include "testing/stat_codec.hpp"

#include <algorithm>

namespace zklock::testing {
namespace {

constexpr int no_node = -101;
constexpr int node_exists = -110;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t auth_xid = -4;

std::string path_and_watch(const std::string& path, bool watch) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_bool(watch);
  return out.bytes();
}

} // namespace

raw_client::raw_client(const std::string& address, raw_client_options options,
                       detail::build_settings)
    : impl_(std::make_unique<impl>(address, options)) {}

raw_client::~raw_client() {
  if (!impl_ || !impl_->is_connected()) return;
  try {
    impl_->call(impl_->next_xid(), static_cast<std::int32_t>(operation::close_session), {},
                "close the session", deadline(std::chrono::seconds(1)));
  } catch (const std::exception&) {
    // The session expires.
  }
}

raw_client::raw_client(raw_client&& other) noexcept = default;

raw_client& raw_client::operator=(raw_client&& other) noexcept {
  raw_client closing(std::move(other));
  std::swap(impl_, closing.impl_);
  return *this;
}

std::int64_t raw_client::session_id() const noexcept {
  return impl_->session().session_id;
}

std::chrono::milliseconds raw_client::session_timeout() const noexcept {
  return impl_->session().timeout;
}

std::string raw_client::create(const std::string& path, std::string_view data, create_mode mode,
                               const std::vector<access>& acl) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_string(data);
  out.put_int(static_cast<std::int32_t>(acl.size()));
  for (const auto& entry : acl) {
    out.put_int(entry.permissions);
    out.put_string(entry.scheme);
    out.put_string(entry.id);
  }
  out.put_int(static_cast<std::int32_t>(mode));
  auto kind = mode == create_mode::container ? operation::create_container : operation::create;
  std::string reply = impl_->call(kind, out.bytes(), "create " + path);
  return std::string(checked_reader(reply).take_string());
}

void raw_client::create_all(const std::string& path) {
  for (std::size_t slash = 0; slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    try {
      create(path.substr(0, slash));
    } catch (const server_error& e) {
      if (e.code() != node_exists) throw;
    }
  }
}

void raw_client::remove(const std::string& path, std::int32_t version) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_int(version);
  impl_->call(operation::remove, out.bytes(), "delete " + path);
}

void raw_client::remove_all(const std::string& path) {
  try {
    for (const auto& name : children(path))
      remove_all(std::string(path).append(1, '/').append(name));
    remove(path);
  } catch (const server_error& e) {
    if (e.code() != no_node) throw;
  }
}

std::optional<node_stat> raw_client::exists(const std::string& path, bool watch) {
  try {
    std::string reply =
        impl_->call(operation::exists, path_and_watch(path, watch), "look for " + path);
    checked_reader in(reply);
    return take_stat(in);
  } catch (const server_error& e) {
    if (e.code() != no_node) throw;
    return {};
  }
}

node raw_client::get(const std::string& path, bool watch) {
  std::string reply = impl_->call(operation::get_data, path_and_watch(path, watch), "get " + path);
  checked_reader in(reply);
  node result;
  result.data = in.take_string();
  result.stat = take_stat(in);
  return result;
}

node_stat raw_client::set(const std::string& path, std::string_view data, std::int32_t version) {
  detail::jute_writer out;
  out.put_string(path);
  out.put_string(data);
  out.put_int(version);
  std::string reply = impl_->call(operation::set_data, out.bytes(), "set " + path);
  checked_reader in(reply);
  return take_stat(in);
}

std::vector<std::string> raw_client::children(const std::string& path, bool watch) {
  std::string reply =
      impl_->call(operation::get_children, path_and_watch(path, watch), "list " + path);
  checked_reader in(reply);
  std::vector<std::string> names;
  for (std::int32_t count = in.take_int(); count > 0; --count)
    names.emplace_back(in.take_string());
  std::sort(names.begin(), names.end());
  return names;
}

void raw_client::sync(const std::string& path) {
  detail::jute_writer out;
  out.put_string(path);
  impl_->call(operation::sync, out.bytes(), "sync");
}

void raw_client::ping() {
  impl_->call(ping_xid, static_cast<std::int32_t>(operation::ping), {}, "ping", impl_->soon());
}

void raw_client::add_auth(const std::string& scheme, std::string_view credentials) {
  detail::jute_writer out;
  out.put_int(0);
  out.put_string(scheme);
  out.put_string(credentials);
  impl_->call(auth_xid, static_cast<std::int32_t>(operation::auth), out.bytes(), "add credentials",
              impl_->soon());
}

std::optional<watch_event> raw_client::next_event(std::chrono::milliseconds limit) {
  return impl_->next_event(deadline(limit));
}

std::string raw_client::request(std::int32_t kind, std::string_view body) {
  return impl_->call(impl_->next_xid(), kind, body, "request of kind " + std::to_string(kind),
                     impl_->soon());
}

void raw_client::close() {
  impl_->call(operation::close_session, {}, "close the session");
  impl_->drop();
}

void raw_client::abandon() noexcept {
  impl_->drop();
}

} // namespace zklock::testing
