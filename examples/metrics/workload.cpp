#include "workload.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <exception>

namespace asio = boost::asio;
using namespace std::chrono_literals;

workload::workload(zklock::client& client, const std::vector<std::string>& names,
                   std::chrono::milliseconds work)
    : client_(client), work_(work) {
  for (const auto& name : names)
    locks_.emplace_back(client, "/locks/" + name);
}

void workload::start(int users) {
  const auto ended = [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  };
  for (auto& lock : locks_)
    for (int i = 0; i < users; ++i)
      asio::co_spawn(client_.get_executor(), use(lock), ended);
}

asio::awaitable<void> workload::use(zklock::mutex& lock) {
  std::bernoulli_distribution is_try(0.1);
  std::bernoulli_distribution is_long(0.02);
  auto work = [&] { return pause(work_ * (is_long(random_) ? 20 : 1)); };
  for (;;) {
    co_await pause(3 * work_);
    const std::chrono::nanoseconds timeout = is_try(random_) ? 0ms : 10 * work_;
    try {
      co_await zklock::with_lock(lock, timeout, work);
    } catch (const boost::system::system_error& error) {
      // The client has counted it.
      if (error.code() == zklock::errc::closed) co_return;
    }
  }
}

asio::awaitable<void> workload::pause(std::chrono::duration<double> average) {
  std::exponential_distribution<double> seconds(1 / average.count());
  const std::chrono::duration<double> time(seconds(random_));
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
  co_await timer.async_wait(asio::use_awaitable);
}
