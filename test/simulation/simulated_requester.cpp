#include "simulated_requester.hpp"

#include "client/lock_driver.hpp"
#include "queue/entry_name.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace simulation {

namespace zookeeper = zklock::zookeeper;

namespace {

// No token has bits where every uuid has its version.
constexpr std::uint64_t token_mask = ~std::uint64_t{0xf000};

role role_of(std::string_view prefix) {
  const auto parsed = zklock::queue::parse_entry_name(std::string(prefix) + "0000000000");
  return parsed ? parsed->wants : role::exclusive;
}

bool may_combine(const zookeeper::request& what) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.may_combine; }) return each.may_combine;
        return false;
      },
      what);
}

// As Curator's SharedCount writes a number.
std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(number >> shift & 0xffu));
  return bytes;
}

} // namespace

/// Translates a request of a driver to a request of the simulation.
struct simulated_requester::translation {
  const names& paths;

  request operator()(const zookeeper::create_directory& what) const {
    const auto at = paths.locate(what.path);
    const bool is_directory = at.what == location::kind::directory;
    return {.what = is_directory ? request::kind::make_directory : request::kind::make_parent,
            .directory = at.directory};
  }
  request operator()(const zookeeper::create_entry& what) const {
    const auto at = paths.locate(what.path);
    return {.what = request::kind::create,
            .directory = at.directory,
            .name = std::string(at.name),
            .identity = std::string(what.data),
            .wants = role_of(at.name)};
  }
  request operator()(const zookeeper::remove& what) const {
    return of(request::kind::remove, what.path);
  }
  request operator()(const zookeeper::list& what) const {
    return of(what.watch ? request::kind::list_and_watch : request::kind::list, what.path);
  }
  request operator()(const zookeeper::get& what) const {
    const auto is = paths.locate(what.path).what;
    if (is == location::kind::child)
      return of(what.watch ? request::kind::watch : request::kind::exists, what.path);
    if (!what.watch) fail("a driver reads ", what.path, " without a watch");
    return of(is == location::kind::limit ? request::kind::ask_limit
                                          : request::kind::watch_directory,
              what.path);
  }
  request operator()(const zookeeper::exists& what) const {
    return of(request::kind::exists, what.path);
  }
  request operator()(const zookeeper::check& what) const {
    std::vector<zookeeper::write> checks;
    for (const auto& path : what.paths)
      checks.push_back({.what = zookeeper::write::kind::check, .path = path});
    return (*this)(zookeeper::transact{.writes = checks});
  }
  request operator()(const zookeeper::transact& what) const {
    request made{.what = request::kind::transaction};
    for (const auto& each : what.writes) {
      const auto at = paths.locate(each.path);
      made.parts.push_back({.what = each.what,
                            .directory = at.directory,
                            .name = std::string(at.name),
                            .identity = each.data});
    }
    if (!made.parts.empty()) made.directory = made.parts.front().directory;
    return made;
  }
  request operator()(const zookeeper::confirm&) const {
    return {.what = request::kind::transaction};
  }
  request operator()(const zookeeper::set&) const { fail("a driver sets data by itself"); }
  request operator()(const zookeeper::list_own&) const { fail("a driver lists what others use"); }

 private:
  request of(request::kind what, std::string_view path) const {
    const auto at = paths.locate(path);
    return {.what = what, .directory = at.directory, .name = std::string(at.name)};
  }
};

simulated_requester::simulated_requester(world& world, std::function<void(request)> give) noexcept
    : world_(world), give_(std::move(give)) {}

void simulated_requester::send(const zookeeper::request& what, zookeeper::receiver& to,
                               zookeeper::request_tag tag) {
  world_.watch([&] {
    request made = std::visit(translation{world_.names}, what);
    made.may_combine = may_combine(what);
    made.entry = tag.which;
    made.to = &to;
    made.tag = tag;
    give_(std::move(made));
  });
}

void simulated_requester::remove_watch(const std::string& path, zookeeper::watch_kind kind) {
  const auto at = world_.names.locate(path);
  if (at.what == location::kind::limit) return;
  give_({.what = request::kind::remove_watch,
         .directory = at.directory,
         .name = std::string(at.name),
         .of_list = kind == zookeeper::watch_kind::children});
}

// Only servers that still have the session can say so. Now and then nothing has asked them lately.
bool simulated_requester::proven() noexcept {
  was_proven_ = world_.ensemble.lives(session_) &&
                (confirmed_ || !world_.dice.chance(world_.plan.unproven_percent));
  return was_proven_;
}

void simulated_requester::when_proven(zklock::detail::lock_driver& waiting) {
  confirmed_ = true;
  waiting.confirmed();
  confirmed_ = false;
}

void simulated_requester::deliver(const reply& reply) {
  const request& to = reply.to;
  if (!to.to) return;
  std::vector<std::string_view> names;
  names.reserve(reply.children.size());
  for (const auto child : reply.children)
    names.push_back(world_.ensemble.at(child).name);
  std::string path;
  if (to.what == request::kind::create && reply.result == status::ok) {
    path = world_.names.path_of(to.directory) + '/' + to.name;
    zklock::queue::append_number(path, reply.number);
  }
  const auto data = to.what == request::kind::ask_limit ? four_bytes(reply.limit) : std::string();
  const bool is_transaction = to.what == request::kind::transaction;
  zookeeper::reply told;
  told.result = reply.result;
  told.path = path;
  told.data = data;
  (is_transaction ? told.transaction : told.czxid) = reply.czxid;
  told.version = reply.is_changed ? 1 : 0;
  told.ephemeral_owner = ephemeral_owner();
  told.children = names;
  told.children_ever = reply.children_ever;
  told.first_failed = reply.first_failed;
  to.to->on_reply(to.tag, told);
}

void simulated_requester::begin_session(session_id session, bool caches) {
  session_ = session;
  // Bytes of a fuzzer repeat themselves. The numbers of two sessions never do.
  if (session == 0) return;
  token_.bits = (world_.dice.next() ^ std::uint64_t{session} << 32) & token_mask;
  token_ = token_.with(caches);
}

} // namespace simulation
