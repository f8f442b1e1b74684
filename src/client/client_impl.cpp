#include "client/client_impl.hpp"

#include "client/boot_timer.hpp"
#include "client/lock_line.hpp"
#include "client/options.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

queue::reason reason_of(errc end) {
  return end == errc::data_rolled_back ? queue::reason::data_rolled_back
                                       : queue::reason::session_expired;
}

} // namespace

std::shared_ptr<client_impl> client_impl::make(asio::any_io_executor executor,
                                               client_options options) {
  options = checked_options(std::move(options));
  auto tls = take_tls(options);
  const bool calls_program = tls && tls->calls_program();
  const std::shared_ptr<client_impl> made(new client_impl(std::move(executor), std::move(options)),
                                          &client_impl::destroy);
  auto& core = made->core_;
  core.belongs_to(made);
  made->session_.make(*made, std::move(tls));
  asio::use_service<shutdown_service>(core.context()).add(*made);
  boot_timer::prepare(core.context());
  const auto start = [&session = made->session_] { session.get().start(); };
  // The first attempt to connect asks the program for certificates: not inside its call.
  if (!calls_program)
    core.run(start);
  else if (const auto here = core.enter())
    core.post(start);
  return made;
}

// Destroys the client on the strand, where the session may be at work: any thread may release the
// last reference. The execution context, which waits until the client is let go, then waits at its
// guard.
void client_impl::destroy(client_impl* client) noexcept {
  std::unique_ptr<client_impl> owned(client);
  auto& core = client->core_;
  // An abandoned client is on no strand.
  if (core.gone()) return;
  const auto guard = core.guard();
  const auto inside = asio::use_service<shutdown_service>(core.context()).let_go(*client, *guard);
  const auto strand = core.strand();
  asio::post(strand, [owned = std::move(owned)] {});
}

client_impl::client_impl(const asio::any_io_executor& executor, client_options options)
    : core_(executor, std::move(options)) {}

client_impl::~client_impl() {
  // The service is destroyed with the execution context.
  if (!core_.gate()->is_shut()) asio::use_service<shutdown_service>(core_.context()).remove(*this);
  session_.abandon();
}

void client_impl::evict_cached(operation<error_code> op) {
  on_cancellation(op->slot(), op, [this, weak = core_.client()](const auto& pending, auto) {
    if (const auto client = weak.lock())
      core_.run([pending] { pending->post(asio::error::operation_aborted); });
  });
  core_.run([this, op = std::move(op)] {
    if (const auto why = session_.why_over()) return op->post(*why);
    lines_.cached().drop_all(op);
  });
}

stats client_impl::snapshot() const {
  auto all = counters_.snapshot();
  all.state = session_.state();
  if (const auto until = session_.proven_until(); until != until.min())
    all.margin = std::max(until - boot_clock::now(), boot_clock::duration::zero());
  return all;
}

std::size_t client_impl::cached() const noexcept {
  return core_.gate()->is_current() ? lines_.cached().counter().unused() : 0;
}

void client_impl::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  const auto before = session_.timeout();
  session_.on_connected(is_new, timeout);
  if (!is_new) {
    counters_.reconnects.add();
    checks_.check_connection();
  }
  if (const auto tls = session_.get().tls()) counters_.set_tls(*tls);
  session_.refresh();
  // A shorter timeout moves `client_session::proven_until` back.
  if (timeout != before) lines_.locks().hurry_bodies();
  lines_.locks().connected(is_new);
  queries_.connected();
  checks_.start(!is_new);
  session_.tell_state();
}

void client_impl::on_disconnected() noexcept {
  session_.on_disconnected();
  checks_.stop();
  lines_.locks().disconnected();
  queries_.disconnected();
  session_.tell_state();
}

void client_impl::on_expired(errc why) noexcept {
  counters_.session_expiries.add();
  session_.on_expired();
  lines_.locks().expired(reason_of(why));
  session_.forget_id();
  session_.tell_state();
}

void client_impl::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  session_.refresh();
  lines_.locks().watch_fired(path, event);
  queries_.watch_fired(path, event);
}

// Servers that refuse the credentials carry out no request of the connection.
void client_impl::on_failed(errc why) noexcept {
  const bool did_nothing = why == errc::authentication_failed && !session_.get().answered();
  if (session_.get().id() != 0 && owns_nodes() && !did_nothing) session_.ephemerals_made();
  for (const auto& c : end_all(why))
    c->forget(why);
  session_.tell_state();
}

// Posted even on the strand: an event of the session may be half processed.
void client_impl::set_servers(std::string_view servers) {
  auto list = zookeeper::parse_server_list(servers, core_.chroot());
  if (const auto here = core_.enter())
    core_.post([this, list = std::move(list)]() mutable {
      if (!session_.why_over()) session_.get().set_servers(std::move(list));
    });
}

// Posted even on the strand: the log function may call `close`.
void client_impl::close(operation<error_code> op) {
  if (const auto here = core_.enter()) core_.post([this, op = std::move(op)] { start_close(op); });
}

void client_impl::start_close(operation<error_code> op) {
  if (session_.why_over() == errc::closed) {
    if (op) op->post(errc::closed);
    return;
  }
  const bool left = owns_nodes();
  closing_ = op;
  ending_ = end_all(errc::closed);
  // If no operation waits for the close, the client may be destroyed before.
  const auto needed = op ? core_.client().lock() : nullptr;
  session_.get().close([this, weak = core_.client(), needed, left, op](error_code result) {
    // A session without nodes may live on until it expires.
    if (!left) result = {};
    if (const auto client = weak.lock()) {
      for (const auto& c : std::exchange(ending_, {}))
        c->forget(result);
      core_.drop_belongings();
    }
    if (op) op->post(result);
  });
  session_.tell_state();
}

// Whether the session owns nodes, or a session that the client gave up may do so.
bool client_impl::owns_nodes() const noexcept {
  return session_.has_ephemerals() || lines_.locks().own_nodes();
}

// Returns the acquisitions of which a node may be left in ZooKeeper.
std::vector<std::shared_ptr<acquisition>> client_impl::end_all(errc why) {
  session_.end(why);
  auto open = lines_.end_all(why);
  lines_.locks().room().end_all(why);
  queries_.fail_all(why);
  checks_.stop();
  return open;
}

void client_impl::forked() {
  core_.gate()->forked();
  const auto closing = closing_.lock();
  const auto open = end_all(errc::closed);
  session_.forget_id();
  session_.get().abandon();
  for (const auto& c : open)
    c->forget(errc::closed);
  for (const auto& c : std::exchange(ending_, {}))
    c->forget(errc::closed);
  if (closing) closing->post(errc::closed);
  session_.tell_state();
}

void client_impl::abandon() noexcept {
  core_.gate()->shut();
  const auto session = session_.abandon();
  const auto locks = lines_.abandon();
  const auto definitions = definitions_.all();
  core_.drop_strand();
  // Destroying handlers destroys coroutines, which call the client again: without effect by now.
  queries_.drop_all();
  for (const auto& [path, used] : locks)
    for (const auto& c : used->take_all())
      c->drop();
  // The strand has not seen acquisitions without a ticket.
  for (const auto& lock : definitions)
    for (const auto& c : lock->acquisitions->waiting())
      if (lock->acquisitions->take_out(*c)) static_cast<acquisition&>(*c).drop();
  for (const auto& c : std::exchange(ending_, {}))
    c->drop();
  lines_.locks().room().drop_all();
  core_.dependents().end_all();
  if (const auto observer = core_.observer(); observer && !session_.why_over()) try {
      observer->state_changed(connection_state::closed);
    } catch (...) {
      // No context is left to rethrow the exception in.
    }
  core_.drop_belongings();
}

} // namespace zklock::detail
