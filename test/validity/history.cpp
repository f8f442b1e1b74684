#include "history.hpp"

namespace validity {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds ticks[] = {100ms, 500ms, 2000ms};

double seconds(time_point from, time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

} // namespace

history::history(std::uint64_t seed, totals& totals)
    : dice_(seed),
      totals_(totals),
      tick_(ticks[dice_.below(3)]),
      timeout_(tick_ * static_cast<int>(dice_.between(2, 20))),
      validity_(tick_) {}

// Mostly the delay of a healthy network, sometimes of a bad network.
duration history::delay() {
  const auto kind = dice_.below(100);
  const auto most = kind < 80 ? duration(3ms) : kind < 95 ? duration(tick_) : duration(timeout_);
  return duration(dice_.between(50, static_cast<std::size_t>(most.count())));
}

duration history::pause() {
  const auto kind = dice_.below(100);
  const auto most = kind < 40   ? duration(tick_ / 4)
                    : kind < 80 ? duration(timeout_ / 3)
                                : duration(timeout_);
  return duration(dice_.between(1, static_cast<std::size_t>(most.count())));
}

std::string history::run() {
  ++totals_.histories;
  end_of_history_ = clock_.now() + 20 * timeout_;
  lead();
  connect(true, false);
  act();
  // Cuts at any time, or right after the client has got a proof.
  proofs_until_cut_ = dice_.chance(70) ? dice_.between(1, 6) : 0;
  if (proofs_until_cut_ == 0) {
    const auto most = static_cast<std::size_t>(duration(8 * timeout_).count());
    clock_.at(clock_.now() + duration(dice_.between(1, most)), [this] { cut(); });
  }
  while (fault_.empty() && clock_.step(end_of_history_))
    check();
  return fault_;
}

// The session must not have ended before any time that was promised, whenever that was.
void history::check() {
  if (!fault_.empty() || !ended_ || validity_.until() <= ended_at_) return;
  fault_ = "the session ended " + std::to_string(seconds(ended_at_, validity_.until())) +
           " s before the time that is promised; tick " + std::to_string(tick_.count()) +
           " ms, timeout " + std::to_string(timeout_.count()) + " ms";
}

// ---- The client.

// A deposed leader accepts a session that it knows.
void history::connect(bool is_new, bool deposed) {
  server_ = &servers_.emplace_back(clock_);
  server_->leads = deposed || dice_.chance(25);
  if (deposed) server_->to_leader.cut();
  const auto at = server_;
  const auto sent = clock_.now();
  last_sent_ = sent;
  const auto reply = [this, at, sent, is_new] {
    at->to_client.send(delay(), [this, at, sent, is_new] { connected(at, sent, is_new); });
  };
  at->from_client.send(delay(), [this, at, reply, is_new, deposed] {
    if (deposed) return reply();
    // REVALIDATE or createSession.
    const auto arrive = [this, at, reply, is_new] {
      if (ended_) return;
      touched();
      if (is_new) return commit(at, reply);
      if (at->leads) return reply();
      at->from_leader.send(delay(), reply);
    };
    if (at->leads)
      arrive();
    else
      at->to_leader.send(delay(), arrive);
  });
}

void history::connected(server* at, time_point sent, bool is_new) {
  if (at != server_) return;
  validity_.connected(sent, clock_.now(), timeout_, is_new);
}

// The client is idle, paused, busy, or gets a new connection. While idle, the C client sends pings,
// which prove nothing to the client.
void history::act() {
  clock_.at(clock_.now() + pause(), [this] {
    const auto what = dice_.below(100);
    if (what < 30) {
      pairs(static_cast<int>(dice_.between(1, 4)), dice_.chance(70));
    } else if (what < 50) {
      request(dice_.chance(70));
      if (dice_.chance(50)) request(true);
    } else if (what < 58) {
      validity_.disconnected();
      ++totals_.reconnects;
      connect(false, dice_.chance(30));
    } else if (what < 80 && clock_.now() - last_sent_ > timeout_ / 3) {
      const auto at = server_;
      last_sent_ = clock_.now();
      at->from_client.send(delay(), [this, at] { received(at, [] {}); });
    }
    act();
  });
}

// Each request follows the reply to its predecessor.
void history::pairs(int left, bool writes) {
  next_ = left == 0 ? std::function<void()>() : [this, left, writes] { pairs(left - 1, writes); };
  request(writes);
}

void history::request(bool writes) {
  const auto at = server_;
  const auto sent = clock_.now();
  last_sent_ = sent;
  at->from_client.send(delay(), [this, at, sent, writes] {
    received(at, [this, at, sent, writes] {
      const auto reply = [this, at, sent, writes] {
        at->to_client.send(delay(), [this, at, sent, writes] {
          if (at == server_) answered(sent, writes);
        });
      };
      if (!writes) return reply();
      const auto arrive = [this, at, reply] {
        if (!ended_) commit(at, reply);
      };
      if (!at->leads)
        at->to_leader.send(delay(), arrive);
      else if (!at->to_leader.is_cut())
        arrive();
    });
  });
}

void history::answered(time_point sent, bool committed) {
  const auto before = validity_.until();
  validity_.answered(sent, clock_.now(), committed);
  const bool proven = validity_.until() > before;
  totals_.proofs += proven;
  if (proven && proofs_until_cut_ != 0 && --proofs_until_cut_ == 0) cut();
  if (const auto next = std::exchange(next_, nullptr)) next();
}

// ---- The client's server.

void history::received(server* by, std::function<void()> process) {
  by->waiting.push_back(std::move(process));
  if (!std::exchange(by->busy, true)) take_next(by);
}

// ZooKeeperServer.touch takes the table, then puts the session into it: a follower's table loses a
// touch in between. Never twice in a row.
void history::take_next(server* by) {
  if (by->waiting.empty()) {
    by->busy = false;
    return;
  }
  const int table = by->table;
  const bool slow = !by->lost_a_note && dice_.chance(30);
  const auto time = slow ? duration(dice_.between(1, 20000)) : 0us;
  clock_.at(clock_.now() + time, [this, by, table] {
    const auto process = std::move(by->waiting.front());
    by->waiting.erase(by->waiting.begin());
    by->lost_a_note = table != by->table;
    totals_.lost_notes += by->lost_a_note;
    if (!by->leads)
      by->noted = by->noted || !by->lost_a_note;
    else if (!by->to_leader.is_cut() && !ended_)
      touched();
    process();
    take_next(by);
  });
}

void history::pinged(server* by) {
  ++by->table;
  const bool noted = std::exchange(by->noted, false);
  by->to_leader.send(delay(), [this, noted] {
    if (noted && !ended_) touched();
  });
}

// ---- The leader.

void history::lead() {
  const auto half = static_cast<std::size_t>(duration(tick_ / 2).count());
  clock_.at(clock_.now() + duration(dice_.between(half, 2 * half - 1)), [this] {
    if (const auto to = server_; !to->leads)
      to->from_leader.send(delay(), [this, to] { pinged(to); });
    lead();
  });
}

void history::touched() {
  const auto since = std::chrono::floor<milliseconds>((clock_.now() + timeout_).time_since_epoch());
  const auto bucket = (since / tick_ + 1) * tick_;
  // The leader looks at sessions only at the end of a bucket; it is never early.
  expires_ = time_point(bucket);
  wait_for_end();
}

void history::wait_for_end() {
  clock_.at(expires_, [this] {
    if (ended_ || clock_.now() < expires_) return;
    ended_ = true;
    ended_at_ = clock_.now();
    ++totals_.ends;
    if (validity_.until() == time_point::min()) return;
    const auto margin = std::chrono::floor<duration>(ended_at_ - validity_.until());
    totals_.ends_while_proven_lately += margin < timeout_;
    totals_.least_margin = std::min(totals_.least_margin, margin);
  });
}

void history::commit(server* from, std::function<void()> answer) {
  commits_.send(duration(dice_.between(100, 3000)), [this, from, answer] {
    if (from->leads ? from->to_leader.is_cut() : ended_) return;
    if (from->leads)
      answer();
    else
      from->from_leader.send(delay(), answer);
  });
}

// The server is cut off from the leader: no message passes any more, in any or both directions.
// Where it is the leader itself, the next leader counts from its own start.
void history::cut() {
  if (server_->to_leader.is_cut()) return;
  if (server_->leads) {
    server_->to_leader.cut();
    clock_.at(clock_.now() + delay(), [this] { touched(); });
    return;
  }
  const bool both = dice_.chance(70);
  if (both || dice_.chance(50)) server_->to_leader.cut();
  if (both || !server_->to_leader.is_cut()) server_->from_leader.cut();
}

} // namespace validity
