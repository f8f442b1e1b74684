#include "testing/server_impl.hpp"

#include "testing/blocking_socket.hpp"
#include "testing/java.hpp"
#include "testing/last_lines.hpp"
#include "testing/server_queries.hpp"

namespace zklock::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A killed process ends at once. The limit is for machines under heavy load.
constexpr milliseconds kill_limit{10'000};

std::shared_ptr<temporary_directory> temporary_for(const server_options& options) {
  return options.data_directory.empty() ? std::make_shared<temporary_directory>() : nullptr;
}

} // namespace

server::impl::impl(server_options options)
    : options_(std::move(options)),
      temporary_(temporary_for(options_)),
      files_(temporary_ ? temporary_->path() : fs::absolute(options_.data_directory)),
      clients_(loopback_address(direct_port_.port()), {.port = options_.port}),
      secure_(options_.tls ? std::make_unique<secure_port>() : nullptr) {
  for_each_relay([](relay& each) { each.refuse(); });
}

server::impl::impl(server_options options, fs::path folder,
                   std::shared_ptr<temporary_directory> temporary,
                   std::shared_ptr<peer_links> links, std::size_t index)
    : options_(std::move(options)),
      temporary_(std::move(temporary)),
      files_(std::move(folder)),
      links_(std::move(links)),
      index_(index),
      clients_(loopback_address(direct_port_.port()), {.port = options_.port}),
      secure_(options_.tls ? std::make_unique<secure_port>() : nullptr) {
  for_each_relay([](relay& each) { each.refuse(); });
}

server::impl::~impl() {
  if (process_) process_->signal(SIGKILL);
}

std::string server::impl::direct_address() const {
  return loopback_address(direct_port_.port());
}

relay& server::impl::secure_clients() {
  if (!secure_)
    throw error("the ZooKeeper server on " + direct_address() + " has no port with TLS");
  return secure_->clients;
}

void server::impl::launch() {
  std::lock_guard lock(mutex_);
  if (is_running()) return;
  files_.write(options_, direct_port_.port(), secure_ ? secure_->direct.port() : 0,
               links_ ? static_cast<int>(index_) + 1 : 0,
               links_ ? links_->configuration(index_) : "");
  process_.emplace(
      child_options{.command = java_command(options_, files_.configuration(), files_.scratch()),
                    // Java takes the bytes of a path for text in the encoding of the locale.
                    .environment = {"LC_ALL=C.UTF-8"},
                    .folder = files_.folder(),
                    .log = files_.log(),
                    .kept_open = temporary_ ? temporary_->lifeline() : -1});
  halted_ = false;
  if (links_) links_->set_running(index_, true);
}

void server::impl::wait_until_ready() {
  std::lock_guard lock(mutex_);
  deadline until(options_.start_timeout);
  while (!answers()) {
    if (process_->wait_for_end(milliseconds(20)))
      fail("ended during its start: " + process_->how_it_ended());
    if (until.over())
      fail("did not reply within " + std::to_string(options_.start_timeout.count()) + " ms");
  }
  if (client_cut_ != cut::closed) for_each_relay([](relay& each) { each.accept(); });
}

void server::impl::fail(const std::string& what) {
  std::string text = "the ZooKeeper server on " + direct_address() + " (clients: " + address() +
                     ", files: " + files_.folder().string() + ") " + what;
  end(SIGKILL, kill_limit);
  std::string log = last_lines(files_.log(), 30);
  throw error(text + (log.empty() ? "; its log is empty" : "; the end of its log:\n" + log));
}

bool server::impl::answers() const {
  try {
    deadline soon(milliseconds(1000));
    // The server opens this port a moment after the other.
    if (secure_) blocking_socket(loopback_address(secure_->direct.port()), soon);
    // In an ensemble a server can serve only with a quorum, which the test may not have started.
    return links_ ? query(direct_address(), "ruok", soon) == "imok"
                  : !query_mode(direct_address(), soon).empty();
  } catch (const error&) {
    return false;
  }
}

void server::impl::start() {
  if (running()) return;
  launch();
  wait_until_ready();
}

void server::impl::stop(milliseconds limit) {
  std::lock_guard lock(mutex_);
  end(SIGTERM, limit);
}

void server::impl::kill() {
  std::lock_guard lock(mutex_);
  end(SIGKILL, kill_limit);
}

void server::impl::end(int signal, milliseconds limit) {
  if (process_) {
    process_->signal(signal);
    process_->signal(SIGCONT);
    if (!process_->wait_for_end(limit)) {
      process_->signal(SIGKILL);
      if (!process_->wait_for_end(kill_limit))
        throw error("the ZooKeeper server on " + direct_address() + " cannot be killed");
    }
  }
  halted_ = false;
  for_each_relay([](relay& each) { each.refuse(); });
  if (links_) links_->set_running(index_, false);
}

void server::impl::pause() {
  std::lock_guard lock(mutex_);
  if (!is_running()) throw error("the ZooKeeper server on " + direct_address() + " is not running");
  if (halted_) return;
  process_->halt();
  halted_ = true;
}

void server::impl::resume() {
  std::lock_guard lock(mutex_);
  if (process_) process_->signal(SIGCONT);
  halted_ = false;
}

void server::impl::cut_from_clients(cut how) {
  std::lock_guard lock(mutex_);
  client_cut_ = how;
  for_each_relay([this, how](relay& each) {
    if (how == cut::closed) return each.refuse();
    each.silence();
    if (is_running()) each.accept();
  });
}

void server::impl::cut_from_peers(cut how) {
  std::lock_guard lock(mutex_);
  if (!links_)
    throw error("the ZooKeeper server on " + direct_address() + " is standalone: it has no peers");
  peer_cut_ = how;
  links_->cut_server(index_, how);
}

void server::impl::heal() {
  std::lock_guard lock(mutex_);
  client_cut_.reset();
  peer_cut_.reset();
  for_each_relay([this](relay& each) {
    each.heal();
    if (!is_running()) each.refuse();
  });
  if (links_) links_->heal(index_);
}

bool server::impl::running() const {
  std::lock_guard lock(mutex_);
  return is_running();
}

bool server::impl::halted() const {
  std::lock_guard lock(mutex_);
  return halted_;
}

pid_t server::impl::process_id() const {
  std::lock_guard lock(mutex_);
  return is_running() ? process_->id() : 0;
}

bool server::impl::is_unimpaired() const {
  std::lock_guard lock(mutex_);
  return is_running() && !halted_ && !client_cut_ && !peer_cut_;
}

} // namespace zklock::testing
