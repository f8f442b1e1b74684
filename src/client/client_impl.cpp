#include "client/client_impl.hpp"

#include "client/lock_line.hpp"
#include "client/options.hpp"
#include "client/shutdown_service.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

asio::execution_context& context_of(const asio::any_io_executor& executor) {
  return asio::query(executor, asio::execution::context);
}

using time_point = acquisition::time_point;

time_point deadline_of(std::chrono::nanoseconds timeout, time_point called) noexcept {
  return timeout < time_point::max() - called ? called + timeout : time_point::max();
}

error_code fault_of(const acquisition& c, std::chrono::nanoseconds timeout) noexcept {
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

queue::reason reason_of(errc end) {
  return end == errc::data_rolled_back ? queue::reason::data_rolled_back
                                       : queue::reason::session_expired;
}

// The timer of a body on its way to the strand. If the strand is gone, the destructor has the timer
// expire, unless the body goes with the strand's context.
class unwatched_body {
 public:
  unwatched_body(const asio::any_io_executor& client, std::weak_ptr<boot_timer> body) noexcept
      : context_(&context_of(client)), body_(std::move(body)) {}
  unwatched_body(unwatched_body&&) noexcept = default;
  unwatched_body& operator=(unwatched_body&&) = delete;
  ~unwatched_body() {
    if (const auto body = body_.lock(); body && &body->context() != context_) body->expired();
  }

  std::weak_ptr<boot_timer> arrived() noexcept { return std::move(body_); }

 private:
  const asio::execution_context* context_;
  std::weak_ptr<boot_timer> body_;
};

} // namespace

std::shared_ptr<client_impl> client_impl::make(asio::any_io_executor executor,
                                               client_options options) {
  const std::shared_ptr<client_impl> state(
      new client_impl(std::move(executor), checked_options(std::move(options))),
      &client_impl::destroy);
  auto log = [weak = std::weak_ptr(state)](log_level level, std::string_view line) {
    if (const auto client = weak.lock()) client->log(level, std::string(line));
  };
  state->session_ = zookeeper::session::make(
      *state->strand_, session_options_of(state->options_, state->servers_.servers, std::move(log)),
      *state);
  state->service_.add(*state);
  state->run([client = state.get()] { client->session_->start(); });
  return state;
}

// Destroys the client on the strand, where the session may be at work: any thread may release the
// last reference.
void client_impl::destroy(client_impl* client) noexcept {
  std::unique_ptr<client_impl> owned(client);
  const auto gate = client->gate_;
  const bool current = client->process_.is_current();
  const inside here(current ? gate.get() : nullptr);
  if (!here) return;
  const auto strand = *client->strand_;
  asio::post(strand, [owned = std::move(owned)] {});
}

client_impl::client_impl(asio::any_io_executor executor, client_options options)
    : executor_(std::move(executor)),
      later_(never_blocking(executor_)),
      options_(std::move(options)),
      has_observer_(options_.observer != nullptr),
      servers_(zookeeper::parse_server_list(options_.servers)),
      service_(asio::use_service<shutdown_service>(context_of(executor_))),
      timeout_(options_.session_timeout),
      strand_(executor_),
      checks_(*this, {options_.check_interval, options_.server_tick}) {}

client_impl::~client_impl() {
  // The service is destroyed with the execution context.
  if (!gate_->is_shut()) service_.remove(*this);
  if (session_) session_->abandon();
}

template <class Operation>
void client_impl::connect_slot(const std::shared_ptr<acquisition>& c, const Operation& op) {
  on_cancellation(op->slot(), op, [c = std::weak_ptr(c)](const auto& pending, auto) {
    if (const auto found = c.lock())
      found->client()->run([found, pending] { found->cancel(pending); });
  });
}

void client_impl::acquire(const lock_request& wanted, const acquire_options& options,
                          handler<acquire_signature> handler, std::shared_ptr<observation> observed,
                          std::weak_ptr<reserved_room> room) {
  const auto here = enter();
  if (!here) return end_without_context(std::move(handler));
  std::unique_ptr<acquisition::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued || observed ||
      !room.expired())
    more = std::make_unique<acquisition::extras>(
        acquisition::extras{.hold_limit = options.hold_limit,
                            .owner = options.by ? options.by->id() : 0,
                            .queued = options.queued,
                            .observed = std::move(observed),
                            .room = std::move(room)});
  const auto c =
      make_recycled<acquisition>(wanted, std::move(handler), options.keep, std::move(more));
  begin(c, options.timeout);
}

// The acquisition may be granted in another thread as soon as it is in line, so its slot is
// connected before.
void client_impl::begin(const std::shared_ptr<acquisition>& c,
                        std::chrono::nanoseconds timeout) noexcept {
  if (const auto fault = fault_of(*c, timeout)) return run_inside([c, fault] { c->refuse(fault); });
  auto& line = *c->path()->acquisitions;
  if (line.grant_fast(*c)) return c->complete_fast();
  on_cancellation(c->waiter().slot(), c, [](const auto& found, auto) {
    found->client()->run(
        [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
  });
  c->since = std::chrono::steady_clock::now();
  c->trying = timeout == timeout.zero();
  c->deadline = deadline_of(c->trying ? options_.connect_timeout : timeout, c->since);
  if (line.wait(c)) run_inside([this, lock = c->path()] { look(lock); });
}

// The look calls the program's label function, which must not run inside a call of the program.
void client_impl::look(const std::shared_ptr<const lock_definition>& lock) {
  if (!options_.label || !strand_->running_alone()) return locks_.look(lock);
  asio::post(*strand_, [self = shared_from_this(), lock] {
    if (!self->gone()) self->locks_.look(lock);
  });
}

// Another thread may grant the acquisition until it has left the line.
void client_impl::give_up(acquisition& c, error_code why) {
  const auto gone = c.path()->acquisitions->take_out(c, true);
  if (!gone) return;
  c.refuse(why);
  if (lock_in_use* const used = locks_.find(c)) used->withdraw(c);
}

void client_impl::release(std::shared_ptr<acquisition> c, operation<error_code> op) {
  if (end_fast(*c)) return op->post({});
  connect_slot(c->holder().shared_from_this(), op);
  run([this, c = std::move(c), op = std::move(op)] { take_back(c->holder(), op); });
}

void client_impl::give_back(std::shared_ptr<acquisition> c) noexcept {
  const auto here = enter();
  if (!here) return c->path()->acquisitions->keep_alive(c);
  if (end_fast(*c)) return;
  run_inside([this, c = std::move(c)] { take_back(c->holder(), nullptr); });
}

// Returns whether the hold has ended without the strand.
bool client_impl::end_fast(acquisition& c) {
  const auto ended = c.path()->acquisitions->release_fast(c);
  if (!ended.is_done) return false;
  kept_is_unused();
  if (ended.next) ended.next->complete_fast();
  return true;
}

// While the release was on its way to the strand, the line may have been opened for the entry.
void client_impl::take_back(acquisition& c, const operation<error_code>& op) {
  if (end_fast(c)) {
    if (op) op->post({});
    return;
  }
  if (!c.unshare()) {
    // The owner has another hold.
    if (op) op->post({});
    return;
  }
  c.end();
  if (op) c.when_forgotten(op);
  if (lock_in_use* const used = c.forgotten() ? nullptr : locks_.find(c)) used->release(c);
}

void client_impl::end_on_strand(acquisition& c) noexcept {
  c.path()->acquisitions->end_on_strand(c);
}

void client_impl::downgrade(std::shared_ptr<acquisition> c, operation<error_code> op) {
  connect_slot(c, op);
  run([this, c = std::move(c), op = std::move(op)] {
    end_on_strand(*c);
    lock_in_use* const used = locks_.find(*c);
    if (const auto why = c->when_downgraded(op))
      op->post(why);
    else if (used)
      used->downgrade(*c);
  });
}

void client_impl::wait_lost(std::shared_ptr<acquisition> c, operation<error_code, error_code> op) {
  connect_slot(c, op);
  run([this, c = std::move(c), op = std::move(op)] {
    end_on_strand(*c);
    c->when_lost(op);
  });
}

void client_impl::watch_body(std::shared_ptr<acquisition> c, std::weak_ptr<boot_timer> body) {
  run([this, c = std::move(c), on_its_way = unwatched_body(executor_, std::move(body))]() mutable {
    end_on_strand(*c);
    c->watch_body(on_its_way.arrived());
  });
}

void client_impl::drop_cached(operation<error_code> op) {
  on_cancellation(op->slot(), op, [self = weak_from_this()](const auto& pending, auto) {
    if (const auto client = self.lock())
      client->run([pending] { pending->post(asio::error::operation_aborted); });
  });
  run([this, op = std::move(op)] {
    if (over_) return op->post(*over_);
    locks_.cached().drop_all(op);
  });
}

void client_impl::reserve(std::vector<lock_request> wanted, std::uint64_t owner,
                          std::chrono::nanoseconds timeout, handler<room_signature> handler) {
  const auto here = enter();
  if (!here) return end_without_context(std::move(handler));
  const auto op =
      std::make_shared<room_claims::operation_type::element_type>(std::move(handler), executor_);
  // The caller cancels on the strand on which it calls `reserve`, so the claim is added before it
  // is cancelled.
  on_cancellation(op->slot(), op, [self = weak_from_this()](const auto& pending, auto) {
    if (const auto client = self.lock())
      client->run([pending, &of = *client] {
        of.locks().claims().give_up(pending, asio::error::operation_aborted);
      });
  });
  run([this, wanted = std::move(wanted), owner, timeout, op] {
    if (over_) return op->post(*over_, nullptr);
    locks_.reserve(wanted, owner, timeout, op);
  });
}

void client_impl::close(operation<error_code> op) {
  const auto here = enter();
  if (!here) return;
  // Posted even on the strand: the log function may call `close`.
  asio::post(*strand_, [self = shared_from_this(), op = std::move(op)] {
    if (!self->gone()) self->start_close(op);
  });
}

stats client_impl::snapshot() const {
  auto all = counters_.snapshot();
  all.state = state();
  if (const auto until = proven_until(); until != until.min())
    all.margin = std::max(until - boot_clock::now(), boot_clock::duration::zero());
  return all;
}

// A client that has failed is closed even before the program closes it.
void client_impl::tell_state() {
  const auto now = state_.load();
  if (std::exchange(told_state_, now) == now) return;
  if (auto observer = this->observer())
    call_program([observer = std::move(observer), now] { observer->state_changed(now); });
}

void client_impl::log(log_level level, std::string line) {
  call_program([this, level, line = std::move(line)] {
    if (options_.log) options_.log(level, line);
  });
}

std::shared_ptr<observer> client_impl::observer() const {
  if (!has_observer_) return nullptr;
  const std::lock_guard locked(observer_mutex_);
  return options_.observer;
}

// The program's objects are destroyed while no mutex is locked.
void client_impl::drop_belongings() noexcept {
  decltype(options_.observer) observer;
  {
    const std::lock_guard locked(observer_mutex_);
    observer.swap(options_.observer);
  }
  const auto log = std::exchange(options_.log, {});
  const auto label = std::exchange(options_.label, {});
  options_.credentials.clear();
}

void client_impl::start_close(operation<error_code> op) {
  if (over_ == errc::closed) {
    if (op) op->post(errc::closed);
    return;
  }
  const bool left = left_behind_ || owns_nodes();
  closing_ = op;
  ending_ = fail_all(errc::closed);
  // If no operation waits for the close, the client may be destroyed before.
  const auto needed = op ? shared_from_this() : nullptr;
  session_->close([weak = weak_from_this(), needed, left, op](error_code result) {
    // A session without nodes may live on until it expires.
    if (!left) result = {};
    if (const auto client = weak.lock()) {
      for (const auto& c : std::exchange(client->ending_, {}))
        c->forget(result);
      client->drop_belongings();
    }
    if (op) op->post(result);
  });
  tell_state();
}

bool client_impl::owns_nodes() const noexcept {
  return made_ephemerals_ || locks_.own_nodes();
}

// Ends all acquisitions. Returns the acquisitions of which a node may be left in ZooKeeper.
std::vector<std::shared_ptr<acquisition>> client_impl::fail_all(errc why) {
  over_ = why;
  state_ = connection_state::closed;
  checks_.reset();
  auto open = locks_.end_all(why);
  queries_.fail_all(why);
  deadlines_.stop();
  checks_.stop();
  return open;
}

void client_impl::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  const auto before = timeout_.exchange(timeout, std::memory_order_acq_rel);
  session_id_.store(session_->id(), std::memory_order_release);
  state_ = is_new ? connection_state::connected : connection_state::reconnected;
  if (!is_new) {
    counters_.reconnects.add();
    connection_check_.send();
  }
  checks_.refresh();
  // A shorter timeout moves `checks_.until()` back.
  if (timeout != before) locks_.hurry_bodies();
  locks_.connected(is_new);
  queries_.connected();
  checks_.start(!is_new);
  tell_state();
}

void client_impl::on_disconnected() noexcept {
  state_ = connection_state::suspended;
  checks_.stop();
  locks_.disconnected();
  queries_.disconnected();
  tell_state();
}

void client_impl::on_expired(errc why) noexcept {
  state_ = connection_state::lost;
  counters_.session_expiries.add();
  made_ephemerals_ = false;
  checks_.reset();
  locks_.expired(reason_of(why));
  session_id_ = 0;
  tell_state();
}

// Servers that refuse the credentials carry out no request of the connection.
void client_impl::on_failed(errc why) noexcept {
  const bool did_nothing = why == errc::authentication_failed && !session_->answered();
  left_behind_ = session_->id() != 0 && owns_nodes() && !did_nothing;
  for (const auto& c : fail_all(why))
    c->forget(why);
  tell_state();
}

void client_impl::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  checks_.refresh();
  locks_.watch_fired(path, event);
  queries_.watch_fired(path, event);
}

void client_impl::forked() {
  gate_->reopen();
  process_ = {};
  const auto closing = closing_.lock();
  const auto open = fail_all(errc::closed);
  session_id_ = 0;
  session_->abandon();
  for (const auto& c : open)
    c->forget(errc::closed);
  for (const auto& c : std::exchange(ending_, {}))
    c->forget(errc::closed);
  if (closing) closing->post(errc::closed);
  tell_state();
}

void client_impl::abandon() noexcept {
  gate_->shut(!process_.is_current());
  const auto was = state_.exchange(connection_state::closed);
  session_->abandon();
  const auto locks = locks_.abandon();
  const auto lines = definitions_.all();
  locks_.claims().abandon();
  const auto session = std::exchange(session_, nullptr);
  deadlines_.abandon();
  checks_.abandon();
  strand_.reset();
  // Destroying handlers destroys coroutines, which call the client again: without effect by now.
  queries_.drop_all();
  for (const auto& [path, used] : locks)
    for (const auto& c : used->take_all())
      c->drop();
  // The strand has not seen acquisitions without a ticket.
  for (const auto& lock : lines)
    for (const auto& c : lock->acquisitions->without_ticket())
      if (lock->acquisitions->take_out(*c)) static_cast<acquisition&>(*c).drop();
  for (const auto& c : std::exchange(ending_, {}))
    c->drop();
  locks_.claims().drop_all();
  dependents_.end_all();
  if (was != connection_state::closed && options_.observer) try {
      options_.observer->state_changed(connection_state::closed);
    } catch (...) {
      // No context is left to rethrow the exception in.
    }
  drop_belongings();
}

} // namespace zklock::detail
