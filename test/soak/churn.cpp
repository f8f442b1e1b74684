#include "soak/churn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace soak {

using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

using result = std::tuple<zklock::error_code, zklock::hold>;

asio::awaitable<result> acquire(zklock::client& zk, std::size_t path, bool shared,
                                std::chrono::milliseconds limit) {
  const auto name = "/soak/" + std::to_string(path);
  if (path % 3 == 0) co_return co_await zklock::mutex(zk, name).acquire(limit, as_result);
  if (path % 3 == 1) co_return co_await zklock::semaphore(zk, name, 2).acquire(limit, as_result);
  const zklock::shared_mutex lock(zk, name);
  if (shared) co_return co_await lock.acquire_shared(limit, as_result);
  co_return co_await lock.acquire(limit, as_result);
}

// The errors of an acquisition while connections are cut or silent.
bool is_expected(zklock::error_code error) {
  using zklock::errc;
  return error == errc::timed_out || error == errc::session_expired || error == errc::not_connected;
}

} // namespace

churn::churn(asio::io_context& io, std::string servers, std::size_t paths)
    : io_(io), servers_(std::move(servers)), paths_(paths) {
  for (std::size_t i = 0; i < clients; ++i)
    clients_[i].emplace(io_, options_of(i));
}

zklock::client_options churn::options_of(std::size_t index) const {
  zklock::client_options options;
  options.servers = servers_;
  options.session_timeout = 2s;
  options.server_tick = 500ms;
  if (index == 1) options.lock_cache.emplace();
  if (index == 2) options.local_handoffs = 8;
  options.log = [](zklock::log_level, std::string_view) {};
  return options;
}

asio::awaitable<void> churn::work_until(clock::time_point end) {
  asio::steady_timer ended(io_, clock::time_point::max());
  std::size_t left = clients * workers_of_each;
  for (auto& each : clients_)
    for (std::size_t i = 0; i < workers_of_each; ++i)
      asio::co_spawn(io_, work(*each, random_(), end), [&](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
        if (--left == 0) ended.cancel();
      });
  co_await ended.async_wait(as_result);
}

asio::awaitable<void> churn::work(zklock::client& zk, std::uint64_t seed, clock::time_point end) {
  std::mt19937_64 random(seed);
  asio::steady_timer timer(io_);
  while (clock::now() < end) {
    const auto dice = random();
    // Some acquisitions give up at once.
    const auto limit = dice % 8 == 0 ? 1ms : 2000ms;
    auto [error, held] = co_await acquire(zk, random() % paths_, dice % 2 == 0, limit);
    if (error && !is_expected(error)) throw boost::system::system_error(error, "an acquisition");
    if (error) continue;
    if (dice % 5 == 0) {
      timer.expires_after(std::chrono::milliseconds(random() % 3));
      co_await timer.async_wait(asio::use_awaitable);
    }
    // Otherwise the destructor releases.
    if (dice % 3 == 0) co_await held.release(as_result);
  }
}

asio::awaitable<void> churn::rest() {
  for (auto& each : clients_) {
    // The session answers requests in their order: this acquisition ends after all requests before.
    const zklock::mutex last(*each, "/soak/rest");
    const zklock::acquire_options options{.timeout = 30s, .cache = false};
    zklock::hold held = co_await last.acquire(options, asio::use_awaitable);
    co_await held.release(asio::use_awaitable);
    co_await each->evict_cached(asio::use_awaitable);
  }
}

asio::awaitable<void> churn::replace_a_client() {
  const auto index = replaced_++ % clients;
  co_await close(index);
  clients_[index].emplace(io_, options_of(index));
}

asio::awaitable<void> churn::close(std::size_t index) {
  auto& one = clients_[index];
  const auto counts = one->stats();
  grants_ += counts.total.acquired;
  expiries_ += counts.session_expiries;
  co_await one->close(as_result);
  one.reset();
}

std::uint64_t churn::grants() const {
  auto all = grants_;
  for (const auto& each : clients_)
    if (each) all += each->stats().total.acquired;
  return all;
}

std::uint64_t churn::expiries() const {
  auto all = expiries_;
  for (const auto& each : clients_)
    if (each) all += each->stats().session_expiries;
  return all;
}

asio::awaitable<void> churn::close() {
  for (std::size_t i = 0; i < clients; ++i)
    co_await close(i);
}

} // namespace soak
