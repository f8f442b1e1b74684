#include "cli/run/lock_waiter.hpp"

#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>

#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/environment.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace zklock::cli {

namespace asio = boost::asio;

lock_waiter::lock_waiter(client& zk, const run_options& options, signal_channel& signals)
    : zk_(zk),
      options_(options),
      signals_(signals),
      lock_(make_lock()),
      outer_(outer_sessions()),
      connecting_(zk.get_executor()) {}

any_lock lock_waiter::make_lock() const {
  const auto& path = options_.path;
  switch (options_.kind) {
  case lock_kind::writer:
    return shared_mutex(zk_, path);
  case lock_kind::reader:
    return shared_mutex(zk_, path).shared();
  case lock_kind::permits:
    return options_.limit != 0
               ? semaphore(zk_, path, options_.limit).permits(options_.permits)
               : semaphore(zk_, path, limit_node{options_.limit_node}).permits(options_.permits);
  case lock_kind::mutex:
    break;
  }
  return mutex(zk_, path);
}

asio::awaitable<hold> lock_waiter::acquire() {
  signals_.set_handler([this](passed_signal arrived) { on_signal(arrived); });
  const auto executor = zk_.get_executor();
  asio::co_spawn(executor, limit_connecting(), asio::detached);
  const auto queued = [this](std::size_t ahead) { on_queued(ahead); };
  auto token = asio::bind_cancellation_slot(cancel_.slot(), asio::as_tuple(asio::use_awaitable));
  auto [error, held] = co_await lock_.acquire(
      {.timeout = options_.timeout, .hold_limit = options_.hold_limit, .queued = queued},
      std::move(token));
  connecting_.cancel();
  signals_.set_handler({});
  // The signal may have come too late to cancel.
  if (signal_) throw ended_by_signal{*signal_};
  if (!why_.empty()) throw failure(code_, why_);
  if (error) fail(error);
  co_return std::move(held);
}

void lock_waiter::end(const std::string& why, int code) {
  why_ = why;
  code_ = code;
  cancel_.emit(asio::cancellation_type::terminal);
}

void lock_waiter::on_signal(passed_signal arrived) {
  // These signals are for the command alone.
  if (arrived.number == SIGUSR1 || arrived.number == SIGUSR2 || arrived.number == SIGCONT) return;
  signal_ = arrived.number == 0 ? SIGTERM : arrived.number;
  cancel_.emit(asio::cancellation_type::terminal);
}

void lock_waiter::on_queued(std::size_t ahead) {
  if (options_.verbose)
    report("waiting for " + options_.path + ", with " + std::to_string(ahead) + " ahead");
  if (!outer_.empty()) asio::co_spawn(zk_.get_executor(), look_for_outer_runs(), asio::detached);
}

// A wait without a timeout would go on for ever.
asio::awaitable<void> lock_waiter::limit_connecting() {
  connecting_.expires_after(options_.connection.connect_timeout);
  const auto [stopped] = co_await connecting_.async_wait(asio::as_tuple(asio::use_awaitable));
  if (stopped || zk_.session_id() != 0) co_return;
  end(text_of(errc::not_connected, options_.connection), exit_code::unavailable);
}

// An outer run that holds this lock waits for the end of this run: a deadlock. The session of an
// entry tells whether it belongs to an outer run.
asio::awaitable<void> lock_waiter::look_for_outer_runs() {
  const auto [error, all] = co_await lock_.participants(asio::as_tuple(asio::use_awaitable));
  if (error) co_return;
  const auto taken = std::ranges::count_if(all, [this](const participant& each) {
    return each.is_holder && std::ranges::find(outer_, each.session_id) != outer_.end();
  });
  if (taken == 0) co_return;
  if (options_.kind == lock_kind::permits &&
      (options_.limit == 0 || options_.limit - taken >= options_.permits))
    co_return;
  end("deadlock: an outer zklock run holds " + options_.path + ", and waits for this one to end",
      exit_code::usage);
}

void lock_waiter::fail(const error_code& error) const {
  if (error == errc::busy)
    throw failure(options_.conflict_code, "the lock " + options_.path + " is taken");
  if (error == errc::timed_out)
    throw failure(options_.conflict_code, "the lock " + options_.path +
                                              " was not released within " +
                                              to_text(options_.timeout));
  const auto text = text_of(error, options_.connection);
  if (error == errc::not_connected) throw failure(exit_code::unavailable, text);
  throw failure(exit_code_of(error), "cannot acquire " + options_.path + ": " + text);
}

} // namespace zklock::cli
