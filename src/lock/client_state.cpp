#include "lock/client_state.hpp"

#include "lock/options.hpp"
#include "lock/shutdown_service.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

constexpr queue::exclusive_rule exclusive;
constexpr queue::shared_rule shared;

asio::execution_context& context_of(const asio::any_io_executor& executor) {
  return asio::query(executor, asio::execution::context);
}

} // namespace

std::shared_ptr<client_state> client_state::make(asio::any_io_executor executor,
                                                 client_options options) {
  auto state = std::shared_ptr<client_state>(
      new client_state(std::move(executor), checked_options(std::move(options))));
  state->start();
  return state;
}

client_state::client_state(asio::any_io_executor executor, client_options options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      service_(asio::use_service<shutdown_service>(context_of(executor_))),
      timeout_(options_.session_timeout),
      proof_(options_.check_interval, options_.server_tick),
      strand_(asio::make_strand(executor_)),
      deadline_timer_(*strand_),
      check_timer_(*strand_),
      doubt_timer_(*strand_),
      budget_(options_.owned_bytes) {
  auto servers = zookeeper::parse_server_list(options_.servers);
  chroot_ = std::move(servers.chroot);
  session_ = zookeeper::session::make(
      *strand_, session_options_of(options_, std::move(servers.servers)), *this);
}

void client_state::start() {
  service_.add(*this);
  run([this] { session_->start(); });
}

client_state::~client_state() {
  // The service goes with the execution context.
  if (!gone_) service_.remove(*this);
  if (session_) session_->abandon();
}

// A claim's slots are asked for on the caller's thread, to which they belong; what they are
// asked for is done on the strand. A slot may be owned by the very coroutine that waits for the
// operation, so it must not own the operation.
template <class Operation>
void client_state::connect_slot(const std::shared_ptr<claim>& c, const Operation& op) {
  if (auto slot = op->slot(); slot.is_connected())
    slot.assign([c = std::weak_ptr(c), op = std::weak_ptr(op)](asio::cancellation_type type) {
      const auto found = c.lock();
      const auto pending = op.lock();
      if (!found || !pending || type == asio::cancellation_type::none) return;
      found->client()->run([found, pending] { found->cancel(pending); });
    });
}

void client_state::acquire(const wish& wanted, const acquire_options& options,
                           handler<acquire_signature> handler) {
  if (gone_) return;
  std::unique_ptr<claim::extras> more;
  if (options.hold_limit != options.hold_limit.max() || options.by || options.queued)
    more = std::make_unique<claim::extras>(claim::extras{.hold_limit = options.hold_limit,
                                                         .owner = options.by ? options.by->id() : 0,
                                                         .queued = options.queued});
  const auto c = make_recycled<claim>(wanted, std::move(handler), std::move(more));
  if (auto slot = c->waiter().slot(); slot.is_connected())
    slot.assign([c = std::weak_ptr(c)](asio::cancellation_type type) {
      const auto found = c.lock();
      if (!found || type == asio::cancellation_type::none) return;
      found->client()->run(
          [found] { found->client()->give_up(*found, asio::error::operation_aborted); });
    });
  run([this, c, timeout = options.timeout, now = timer::clock_type::now()] {
    start(c, timeout, now);
  });
}

error_code client_state::fault_of(const claim& c, std::chrono::nanoseconds timeout) const noexcept {
  if (over_) return *over_;
  const auto zero = timeout.zero();
  if (timeout < zero || (c.more() && c.more()->hold_limit <= zero)) return errc::bad_timeout;
  if (c.path()->kind == lock_kind::semaphore && c.wanted().permits == 0) return errc::bad_permits;
  return {};
}

void client_state::start(const std::shared_ptr<claim>& c, std::chrono::nanoseconds timeout,
                         time_point called) {
  // Cancelled before it came here.
  if (c->current() != claim::phase::waiting) return;
  if (const auto fault = fault_of(*c, timeout)) return c->refuse(fault);
  directory* const place = directory_of(c->path());
  if (!place) return c->refuse(errc::other_kind);
  if (c->owner() != 0 && place->share(c)) return;
  c->trying = timeout == timeout.zero();
  if (c->trying) timeout = options_.connect_timeout;
  if (timeout < time_point::max() - called) {
    c->deadline = called + timeout;
    deadlines_.add(*c);
    wait_for_deadline();
  }
  c->id = ++last_claim_;
  c->in = place;
  place->start(c);
}

void client_state::give_up(claim& c, error_code why) {
  if (c.current() != claim::phase::waiting) return;
  deadlines::remove(c);
  c.refuse(why);
  if (c.in) c.in->release(c);
}

void client_state::granted(claim& c) {
  deadlines::remove(c);
  if (!c.more() || c.more()->hold_limit == std::chrono::nanoseconds::max()) return;
  const auto now = timer::clock_type::now();
  if (c.more()->hold_limit >= time_point::max() - now) return;
  // In time for a body to be cancelled before.
  const auto margin = std::min<time_point::duration>(c.more()->hold_limit, session_timeout()) / 10;
  c.more()->end = now + c.more()->hold_limit;
  c.deadline = c.more()->end - margin;
  deadlines_.add(c);
  wait_for_deadline();
}

// The deadline of one who waits, or the end of what one may hold.
void client_state::due(claim& c) {
  if (c.current() == claim::phase::waiting) return give_up(c, out_of_time(c));
  if (c.current() != claim::phase::held) return;
  if (c.deadline < c.more()->end) {
    c.unproven(errc::hold_limit_reached);
    c.deadline = c.more()->end;
    deadlines_.add(c);
    return;
  }
  c.lose(errc::hold_limit_reached);
  if (c.in) c.in->release(c);
}

error_code client_state::out_of_time(const claim& c) const noexcept {
  if (connected() && !c.trying) return errc::timed_out;
  return connected() ? errc::not_connected : session_->trouble();
}

void client_state::release(std::shared_ptr<claim> c, operation<error_code> op) {
  if (op) connect_slot(c, op);
  run([c = std::move(c), op = std::move(op)] {
    if (!c->unshare()) {
      // The same owner holds it still.
      if (op) op->post({});
      return;
    }
    deadlines::remove(*c);
    c->end();
    if (op) c->when_forgotten(op);
    if (!c->forgotten() && c->in) c->in->release(*c);
  });
}

void client_state::downgrade(std::shared_ptr<claim> c, operation<error_code> op) {
  connect_slot(c, op);
  run([c = std::move(c), op = std::move(op)] {
    if (!c->when_downgraded(op))
      op->post(errc::not_a_writer);
    else if (c->in)
      c->in->downgrade(*c);
  });
}

void client_state::lost(std::shared_ptr<claim> c, operation<error_code, error_code> op) {
  connect_slot(c, op);
  run([c = std::move(c), op = std::move(op)] { c->when_lost(op); });
}

void client_state::when_unproven(std::shared_ptr<claim> c, operation<error_code> op) {
  connect_slot(c, op);
  run([this, c = std::move(c), op = std::move(op)] {
    c->when_unproven(op);
    if (!op->pending()) return;
    // An owner may run one body inside another.
    if (!static_cast<intrusive::list_base_hook<auto_unlink>&>(*c).is_linked())
      guarded_.push_back(*c);
    wait_for_doubt();
  });
}

void client_state::close(operation<error_code> op) {
  if (gone_.load(std::memory_order_acquire)) return;
  // Never at once, even on the strand: the log function may be what calls this.
  asio::post(*strand_, [self = shared_from_this(), op = std::move(op)] {
    if (!self->gone_) self->start_close(op);
  });
}

void client_state::start_close(operation<error_code> op) {
  if (over_ == errc::closed) {
    if (op) op->post(errc::closed);
    return;
  }
  end_session(errc::closed, std::move(op));
}

void client_state::end_session(errc why, operation<error_code> op) {
  session_->close([open = fail_all(why), op = std::move(op)](error_code result) {
    for (const auto& c : open)
      c->forget(result);
    if (op) op->post(result);
  });
}

// Nothing can be held or waited for any more. Returns those of whom something may be left in
// ZooKeeper.
std::vector<std::shared_ptr<claim>> client_state::fail_all(errc why) {
  over_ = why;
  connected_ = false;
  proof_.reset();
  deadlines_.clear();
  std::vector<std::shared_ptr<claim>> open;
  for (const auto& [path, place] : directories_)
    for (const auto& [id, c] : place->claims())
      open.push_back(c);
  for (const auto& c : open) {
    c->in = nullptr;
    if (c->current() == claim::phase::waiting) c->refuse(why);
    if (c->current() == claim::phase::held) c->lose(why);
  }
  inquiries_.fail_all(why);
  idle_.clear();
  starved_.clear();
  watched_.clear();
  directories_.clear();
  deadline_timer_->cancel();
  check_timer_->cancel();
  doubt_timer_->cancel();
  return open;
}

// Null where the client uses the path as another kind of lock.
directory* client_state::directory_of(const std::shared_ptr<const lock_path>& path) {
  if (const auto it = directories_.find(path->line); it != directories_.end()) {
    if (it->second->is_for(*path)) return it->second.get();
    if (!it->second->idle()) return nullptr;
    forget(*it->second);
  }
  // With a long chroot one entry may take all of the budget, but no more.
  const queue::settings settings{
      .window = options_.window,
      .entry_bytes = std::min(path->line.size() + entry_name_bytes, options_.owned_bytes),
      .local_handoffs = options_.local_handoffs,
      .counted = path->kind == lock_kind::semaphore,
      .limit = path->limit};
  const queue::rule& rule =
      path->kind == lock_kind::shared ? static_cast<const queue::rule&>(shared) : exclusive;
  auto made = std::make_unique<directory>(*this, path, rule, settings, budget_, &memory_);
  directory& place = *directories_.emplace(made->path(), std::move(made)).first->second;
  if (path->kind == lock_kind::semaphore) {
    watched_.emplace(place.name().permits, &place);
    if (!path->limit) watched_.emplace(place.name().limit_node, &place);
  }
  // Those that were there when the connection was made were told then.
  if (connected()) place.connected();
  return &place;
}

void client_state::wait_for_deadline() {
  const auto earliest = deadlines_.earliest();
  // One that is granted in time leaves the timer running: it need not be set for each.
  if (earliest >= awaited_deadline_) return;
  awaited_deadline_ = earliest;
  deadline_timer_->expires_at(earliest);
  deadline_timer_->async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->gone_) return;
    self->awaited_deadline_ = time_point::max();
    while (const auto due = self->deadlines_.take_due(timer::clock_type::now()))
      self->due(*due);
    self->wait_for_deadline();
  });
}

std::size_t client_state::access_bytes() const noexcept {
  // Whoever may do anything: "world", "anyone".
  if (options_.access.empty()) return 32;
  std::size_t sum = 0;
  for (const auto& each : options_.access)
    sum += each.scheme.size() + each.id.size() + 12;
  return sum;
}

void client_state::log(log_level level, const std::string& line) {
  if (options_.log) options_.log(level, line);
}

void client_state::abandon() noexcept {
  gone_.store(true, std::memory_order_release);
  connected_ = false;
  proof_.reset();
  session_->abandon();
  deadlines_.clear();
  idle_.clear();
  guarded_.clear();
  watched_.clear();
  const auto directories = std::exchange(directories_, {});
  const auto session = std::exchange(session_, nullptr);
  deadline_timer_.reset();
  check_timer_.reset();
  doubt_timer_.reset();
  strand_.reset();
  // Destroying handlers destroys coroutines, and those call us again: by now to no effect.
  inquiries_.drop_all();
  for (const auto& [path, place] : directories)
    for (const auto& [id, c] : place->claims())
      c->drop();
}

} // namespace zklock::detail
