#include "testing/peer_links.hpp"

#include "testing/checked_reader.hpp"
#include "testing/endpoint.hpp"

namespace zklock::testing {
namespace {

// At most the time for which a follower retries to connect to the leader.
constexpr std::chrono::milliseconds connect_limit{500};

/// Removes the sender's address from the first message of an election connection: the receiver
/// would use it to connect without the relay. It then uses the address in its own configuration, as
/// for servers before 3.5, whose first message is only their id.
bool remove_address(std::string& opening) {
  constexpr std::size_t fixed_size = 8 + 8 + 4;
  if (opening.size() < 8) return false;
  if (checked_reader(opening).take_long() >= 0) return true;
  if (opening.size() < fixed_size) return false;
  auto address_size =
      static_cast<std::uint32_t>(checked_reader(std::string_view(opening).substr(16)).take_int());
  if (opening.size() < fixed_size + address_size) return false;
  opening.erase(16, 4 + std::size_t{address_size});
  opening.erase(0, 8);
  return true;
}

std::string address_pair(std::uint16_t quorum, std::uint16_t election) {
  return "127.0.0.1:" + std::to_string(quorum) + ':' + std::to_string(election);
}

} // namespace

peer_links::peer_links(std::size_t servers) : thread_(reactor::get()) {
  for (std::size_t i = 0; i != servers; ++i)
    members_.push_back(std::make_unique<member>());
  relay_options any_bytes{.frames = false};
  for (std::size_t from = 0; from != servers; ++from) {
    for (std::size_t to = 0; to != servers; ++to) {
      auto& one = *links_.emplace_back(std::make_unique<link>());
      if (from == to) continue;
      const ports& target = members_[to]->own;
      one.quorum = std::make_shared<relay_core>(
          thread_->context(), parse_endpoint(loopback_address(target.quorum.port())), any_bytes,
          link_options{.connect_limit = connect_limit});
      one.election = std::make_shared<relay_core>(
          thread_->context(), parse_endpoint(loopback_address(target.election.port())), any_bytes,
          link_options{.filter = remove_address, .connect_limit = connect_limit});
    }
  }
}

peer_links::~peer_links() {
  thread_->run([this] {
    for (const auto& one : links_) {
      if (!one->quorum) continue;
      one->quorum->shut();
      one->election->shut();
    }
  });
}

std::string peer_links::configuration(std::size_t of) const {
  std::string lines;
  for (std::size_t i = 0; i != members_.size(); ++i) {
    lines += "server." + std::to_string(i + 1) + '=';
    if (i == of) {
      const ports& own = members_[i]->own;
      lines += address_pair(own.quorum.port(), own.election.port());
    } else {
      lines += address_pair(at(of, i).quorum->port(), at(of, i).election->port());
    }
    lines += '\n';
  }
  return lines;
}

void peer_links::set_running(std::size_t server, bool running) {
  std::lock_guard lock(mutex_);
  members_[server]->running = running;
  apply();
}

void peer_links::cut_server(std::size_t server, cut how) {
  std::lock_guard lock(mutex_);
  members_[server]->server_cut = how;
  apply();
}

void peer_links::cut_pair(std::size_t one, std::size_t other, cut how) {
  std::lock_guard lock(mutex_);
  at(one, other).pair_cut = at(other, one).pair_cut = how;
  apply();
}

void peer_links::delay(relay_core::clock::duration time) {
  std::lock_guard lock(mutex_);
  delay_ = time;
  thread_->run([this] {
    for (const auto& one : links_) {
      if (!one->quorum) continue;
      delay(*one->quorum);
      delay(*one->election);
    }
  });
}

void peer_links::delay(relay_core& one) const {
  one.delay(direction::to_server, delay_);
  one.delay(direction::to_client, delay_);
}

void peer_links::heal(std::size_t server) {
  std::lock_guard lock(mutex_);
  members_[server]->server_cut.reset();
  for (std::size_t i = 0; i != members_.size(); ++i) {
    at(server, i).pair_cut.reset();
    at(i, server).pair_cut.reset();
  }
  apply();
}

peer_links::state peer_links::target_state(std::size_t from, std::size_t to) const {
  if (!members_[to]->running) return state::refused;
  bool silent = false;
  for (const auto& one :
       {members_[from]->server_cut, members_[to]->server_cut, at(from, to).pair_cut}) {
    if (one == cut::closed) return state::refused;
    if (one == cut::silent) silent = true;
  }
  return silent ? state::silent : state::open;
}

void peer_links::apply() {
  auto set = [this](relay_core& one, state to) {
    switch (to) {
    case state::open:
      one.heal();
      delay(one);
      break;
    case state::refused:
      one.shut();
      break;
    case state::silent:
      one.silence(direction::to_server);
      one.silence(direction::to_client);
      one.open();
      break;
    }
  };
  thread_->run([&] {
    for (std::size_t from = 0; from != members_.size(); ++from) {
      for (std::size_t to = 0; to != members_.size(); ++to) {
        link& one = at(from, to);
        if (from == to || one.now == target_state(from, to)) continue;
        one.now = target_state(from, to);
        set(*one.quorum, one.now);
        set(*one.election, one.now);
      }
    }
  });
}

} // namespace zklock::testing
