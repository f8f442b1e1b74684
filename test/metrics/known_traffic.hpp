#pragma once

#include <zklock/metrics/exporter.hpp>

#include "inspect/looking.hpp"

#include <array>
#include <string>
#include <string_view>

namespace zklock::test {

/// A client whose figures are served, and known events that move them.
class known_traffic {
 public:
  /// Makes all events. Afterwards the lock `orders` is held and waited for.
  asio::awaitable<void> run() {
    co_await refuse();
    co_await hand_over();
    co_await lose();
    co_await ask_and_break();
    mutex odd(zk, path + "/odd");
    const hold unused = co_await odd.acquire(10s);
    co_await reconnect();
    co_await expire();
    held = co_await mutex(zk, path + "/orders").acquire(10s);
    mutex(zk, path + "/orders").acquire(waiting.token());
    const auto waits = [this] { return zk.stats().total.waiters == 1; };
    co_await eventually(waits);
  }

  asio::io_context io{1};
  testing::relay door{shared_server().direct_address()};
  client zk{io, options(door.address())};
  client other{io, options_for(shared_server().direct_address(), 30s)};
  metrics::exporter exporter{
      io, {asio::ip::address_v4::loopback(), 0}, [this] { return zk.stats(); }};
  const std::string path = fresh_path();
  hold held;
  pending<hold> waiting;

 private:
  static client_options options(const std::string& servers) {
    auto chosen = options_for(servers, 30s);
    chosen.local_handoffs = 1;
    chosen.label = [](std::string_view lock) -> std::string {
      const auto name = lock.substr(lock.rfind('/') + 1);
      if (name == "plain") return "";
      return name == "odd" ? "a \"b\"\\\n\xFF" : std::string(name);
    };
    return chosen;
  }

  // 3 busy, 2 timed out, 1 cancelled, 1 failed.
  asio::awaitable<void> refuse() {
    mutex lock(zk, path + "/orders");
    mutex foreign(other, path + "/orders");
    hold taken = co_await foreign.acquire(10s);
    for (int i = 0; i < 3; ++i)
      co_await lock.try_acquire(as_result);
    for (int i = 0; i < 2; ++i)
      co_await lock.acquire(50ms, as_result);
    asio::cancellation_signal stop;
    pending<hold> cancelled;
    lock.acquire(asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    const auto waits = [this] { return zk.stats().total.waiters == 1; };
    co_await eventually(waits);
    stop.emit(asio::cancellation_type::total);
    co_await cancelled.get();
    co_await lock.acquire(-1s, as_result);
    co_await taken.release();
  }

  // 3 acquired, 1 of them handed over, 3 released.
  asio::awaitable<void> hand_over() {
    mutex lock(zk, path + "/stock");
    hold first = co_await lock.acquire(10s);
    std::array<pending<hold>, 2> next;
    for (auto& each : next)
      lock.acquire(60s, each.token());
    const auto wait = [this] { return zk.stats().total.waiters == 2; };
    co_await eventually(wait);
    co_await first.release();
    for (auto& each : next) {
      auto [error, got] = co_await each.get();
      co_await got.release();
    }
  }

  // 1 acquired, and lost by its limit.
  asio::awaitable<void> lose() {
    mutex lock(zk, path + "/orders");
    const acquire_options limited{.timeout = 10s, .hold_limit = 20ms};
    const hold short_lived = co_await lock.acquire(limited);
    co_await short_lived.wait_lost();
  }

  // 1 acquired and released, 1 release request, 1 broken.
  asio::awaitable<void> ask_and_break() {
    mutex lock(zk, path + "/orders");
    mutex foreign(other, path + "/orders");
    hold mine = co_await lock.acquire(10s);
    pending<std::string> asked;
    mine.wait_release_requested(asked.token());
    const auto watched = [&mine] { return is_watched(mine.node()); };
    co_await eventually(watched);
    const auto all = co_await foreign.participants();
    co_await foreign.request_release(all.at(0));
    co_await asked.get();
    co_await mine.release();
    const hold theirs = co_await foreign.acquire(10s);
    co_await lock.break_lock();
  }

  asio::awaitable<void> reconnect() {
    door.cut();
    const auto again = [this] { return zk.stats().reconnects == 1 && zk.connected(); };
    co_await eventually(again);
  }

  // 2 acquired, the second without a label, and lost with the session.
  asio::awaitable<void> expire() {
    mutex orders(zk, path + "/orders");
    mutex plain(zk, path + "/plain");
    const hold first = co_await orders.acquire(10s);
    const hold second = co_await plain.acquire(10s);
    shared_server().expire(zk.session_id());
    co_await first.wait_lost();
    co_await second.wait_lost();
  }
};

} // namespace zklock::test
