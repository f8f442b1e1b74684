#include "history.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace ensemble_test {

using namespace std::chrono_literals;

history::history(std::uint64_t seed, totals& totals, tracer trace)
    : dice_(seed), totals_(totals), trace_(std::move(trace)) {
  constexpr std::chrono::milliseconds ticks[] = {500ms, 1000ms, 2000ms};
  options_.tick = ticks[dice_.below(3)];
  options_.min_session_timeout = 2 * options_.tick;
  options_.max_session_timeout = 20 * options_.tick;
  options_.sync_limit = static_cast<int>(dice_.between(2, 5));
  options_.kept_transactions = dice_.between(1, 60);
  servers::observer by{
      .committed = [this](const auto& what, const auto&) { committed(what); },
      .leads = [this](int) { ++totals_.elections; },
      .fault = [this](const std::string& what) { fault(what); },
  };
  if (trace_) by.trace = [this](const std::string& what) { this->trace(what); };
  ensemble_ = std::make_unique<servers::ensemble>(clock_, dice_.next(), options_, std::move(by));
  const auto count = static_cast<int>(dice_.between(2, 6));
  for (int id = 0; id != count; ++id)
    clients_.emplace_back(client::environment{clock_, dice_, *ensemble_, options_,
                                              [this, id](const std::string& what) {
                                                fault("client " + std::to_string(id) + ": " + what);
                                              }},
                          id, (id + 1) % count);
}

void history::fault(const std::string& what) {
  if (fault_.empty()) fault_ = what;
  if (trace_) trace("FAULT " + what);
}

void history::trace(const std::string& what) const {
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%12.6f ",
                std::chrono::duration<double>(clock_.now() - 1h).count());
  trace_(time.data() + what);
}

void history::committed(const servers::transaction& what) {
  ++totals_.commits;
  if (!what.expires_session) return;
  ++totals_.expiries;
  for (const auto& each : clients_) {
    if (each.session() != what.what.session.id) continue;
    const auto proven = each.proven_until();
    if (proven > what.proposed) fault("a session expires before the time that is proven");
    totals_.expiries_after_proof += proven + 10s > what.proposed;
  }
}

// Mostly a single fault at a time, sometimes several.
void history::strike() {
  clock_.at(clock_.now() + 1ns * dice_.between(10'000'000, 6'000'000'000), [this] {
    if (healed_) return;
    const auto leader = ensemble_->leader();
    const auto any = static_cast<int>(dice_.below(servers::replicas));
    const auto which = leader >= 0 && dice_.chance(50) ? leader : any;
    const auto other = static_cast<int>((which + static_cast<int>(dice_.between(1, 2))) % 3);
    const auto kind = dice_.below(100);
    const auto time =
        1ns * dice_.between(1'000'000, dice_.chance(70) ? 2'000'000'000 : 15'000'000'000);
    const auto later = [&](std::function<void()> what) { clock_.at(clock_.now() + time, what); };
    if (kind < 20) {
      if (dice_.chance(50))
        ensemble_->crash(which);
      else
        ensemble_->lose_power(which);
      later([this, which] { ensemble_->restart(which); });
    } else if (kind < 40) {
      ensemble_->pause(which, time);
    } else if (kind < 55) {
      ensemble_->isolate(which);
      later([this, which] {
        for (int each = 0; each != servers::replicas; ++each) {
          ensemble_->heal(which, each);
          ensemble_->heal(each, which);
        }
      });
    } else if (kind < 75) {
      ensemble_->cut(which, other);
      if (dice_.chance(50)) ensemble_->cut(other, which);
      later([this, which, other] {
        ensemble_->heal(which, other);
        ensemble_->heal(other, which);
      });
    } else if (kind < 85) {
      ensemble_->slow(which, 1ns * dice_.between(1'000'000, 1'000'000'000));
      later([this, which] { ensemble_->slow(which, 0ns); });
    } else if (kind < 95) {
      clients_[dice_.below(clients_.size())].reconnect();
    } else {
      ensemble_->heal_all();
    }
    strike();
  });
}

std::string history::run() {
  ++totals_.histories;
  clock_.run_until(clock_.now() + 2s);
  for (auto& each : clients_)
    each.start();
  strike();
  for (auto end = clock_.now() + 60s; clock_.now() < end && fault_.empty();)
    clock_.run_until(clock_.now() + 1s);
  healed_ = true;
  ensemble_->heal_all();
  clock_.run_until(clock_.now() + 40s);
  for (auto& each : clients_)
    each.idle();
  clock_.run_until(clock_.now() + 5s);
  check_end();
  return fault_;
}

void history::check_end() {
  const auto& newest = ensemble_->newest();
  if (ensemble_->leader() < 0) fault("no leader is elected");
  for (int id = 0; id != servers::replicas; ++id) {
    const auto& data = ensemble_->data(id);
    if (data.last != newest.last || data.tree.paths() != newest.tree.paths() ||
        data.tree.sessions() != newest.tree.sessions())
      fault("replica " + std::to_string(id) + " has other data");
  }
  for (const auto& each : clients_) {
    totals_.sessions += each.sessions();
    totals_.events += each.events();
    if (!each.is_connected()) fault("a client cannot connect");
    const auto* node = newest.tree.find(each.path());
    const auto value = node == nullptr ? -1 : std::stoll(node->data.value_or("-1"));
    if (value < each.acknowledged() || value > each.sent())
      fault("an acknowledged write of " + each.path() + " is lost");
  }
  for (const auto& path : newest.tree.paths()) {
    const auto& state = newest.tree.find(path)->state;
    if (state.is_ephemeral() && !newest.has_session(state.ephemeral_owner))
      fault("the session of " + path + " has ended");
  }
}

} // namespace ensemble_test
