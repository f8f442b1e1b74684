#include "deterministic/kernel/process.hpp"

#include "deterministic/kernel/kernel.hpp"
#include "deterministic/kernel/timer_file.hpp"

#include <algorithm>

namespace deterministic {

namespace {

// The time of day when the histories begin, in 2026.
constexpr std::chrono::seconds first_day{1'780'000'000};

// More handlers than any program has a reason for: the program calls again and again without making
// progress. Histories have up to 1,100 handlers in a second, and 150 without a rest.
constexpr std::uint64_t most_handlers_a_second = 5'000;
constexpr std::uint64_t most_handlers_without_a_rest = 500;

// Two clients that wait ever longer make up to 45 in a second.
constexpr std::uint64_t most_connects_a_second = 60;

} // namespace

process::entered::entered(process& which) noexcept
    : process_(which), before_(which.kernel_.current_) {
  which.kernel_.current_ = &which;
}

process::entered::~entered() {
  process_.kernel_.current_ = before_;
}

process::process(kernel& of, std::string name)
    : kernel_(of), name_(std::move(name)), real_time_(first_day) {
  call([this] { context_ = std::make_unique<boost::asio::io_context>(); });
}

process::~process() {
  end_contexts();
}

void process::add_loop() {
  call([this] { loops_.push_back(std::make_unique<loop>(kernel_, *this)); });
}

// Handlers that wait for a client run on the loops, which must outlive the client's context.
void process::end_contexts() {
  for (const auto& each : loops_)
    each->stop();
  call([this] {
    context_ = nullptr;
    loops_.clear();
  });
}

void process::wake_loops() noexcept {
  for (const auto& each : loops_)
    each->wake();
}

bool process::is_any_running() const noexcept {
  return running_ || std::any_of(loops_.begin(), loops_.end(),
                                 [](const auto& each) { return each->is_running(); });
}

bool process::is_out_of_work() const noexcept {
  return context_->stopped() && std::all_of(loops_.begin(), loops_.end(), [](const auto& each) {
           return each->context().stopped();
         });
}

void process::note_handlers(std::uint64_t handlers) {
  wake();
  count(handlers);
}

void process::run(std::size_t most) {
  const entered here(*this);
  struct turn {
    explicit turn(bool& which) : running(which) { running = true; }
    ~turn() { running = false; }
    bool& running;
  } const now(running_);
  woken_ = false;
  std::size_t done = 0;
  while (context_ && done < most && !dead_) {
    if (context_->stopped()) context_->restart();
    if (context_->poll_one() == 0) break;
    ++done;
  }
  if (done != 0) wake();
  count(done + 1);
  note_turn(done);
  if (!woken_) look_for_abandoned();
}

void process::note_turn(std::uint64_t handlers) {
  handlers_without_a_rest_ = woken_ ? handlers_without_a_rest_ + handlers : 0;
  if (handlers_without_a_rest_ <= most_handlers_without_a_rest) return;
  kernel_.add_fault(name_ + " runs without a rest");
  handlers_without_a_rest_ = 0;
}

// The C client closes its socket when a send fails. Its caller must notice before it waits again.
void process::look_for_abandoned() {
  if (!std::exchange(send_failed_, false)) return;
  if (kernel_.files().is_any_abandoned(*this))
    kernel_.add_fault(name_ + " waits for a connection that the C client has closed");
}

bool process::fails_to_send() noexcept {
  if (failing_sends_ == 0) return false;
  --failing_sends_;
  return send_failed_ = true;
}

void process::lack_descriptors(time_point duration, bool only_duplicates) {
  no_descriptors_until_ = kernel_.time().now() + duration;
  lacks_only_duplicates_ = only_duplicates;
  attempts_ = 0;
}

void process::lack_network(time_point duration) {
  no_network_until_ = kernel_.time().now() + duration;
  attempts_ = 0;
}

bool process::lacks_descriptor(bool for_duplicate) {
  return (for_duplicate || !lacks_only_duplicates_) && is_lacking(no_descriptors_until_);
}

bool process::lacks_network() {
  return is_lacking(no_network_until_);
}

// Far more than clients make that wait ever longer.
bool process::is_lacking(time_point until) {
  constexpr std::size_t most_in_vain = 500;
  if (kernel_.time().now() >= until) return false;
  if (++attempts_ == most_in_vain)
    kernel_.add_fault(name_ + " tries again and again without a pause");
  return attempts_ <= most_in_vain;
}

void process::leaves(const std::string& address, bool unread) {
  left_[address] = {.at = kernel_.time().now(), .unread = unread};
}

bool process::has_just_left_unread(const std::string& address) const {
  const auto found = left_.find(address);
  return found != left_.end() && found->second.unread &&
         found->second.at > kernel_.time().now() - std::chrono::milliseconds(1);
}

void process::begin_second() {
  const auto second = std::chrono::floor<std::chrono::seconds>(kernel_.time().now());
  if (std::exchange(second_, second) != second) handlers_ = connects_ = 0;
}

void process::note_connect() {
  begin_second();
  if (++connects_ == most_connects_a_second) kernel_.add_fault(name_ + " connects without a pause");
}

void process::count(std::uint64_t handlers) {
  begin_second();
  const bool few = handlers_ <= most_handlers_a_second;
  handlers_ += handlers;
  if (few && handlers_ > most_handlers_a_second)
    kernel_.add_fault(name_ + " runs without making progress");
}

void process::pause(time_point duration) {
  kernel_.trace([&] { return name_ + " is paused"; });
  paused_until_ = std::max(paused_until_, kernel_.time().now() + duration);
  kernel_.time().at(paused_until_, [] {});
}

void process::go_on() noexcept {
  paused_until_ = std::min(paused_until_, kernel_.time().now());
}

bool process::is_paused() const noexcept {
  return paused_until_ > kernel_.time().now();
}

void process::suspend(time_point duration) {
  pause(duration);
  const auto now = kernel_.time().now();
  const auto begin = std::max(now, suspended_until_);
  frozen_ = monotonic_time();
  suspended_until_ = std::max(suspended_until_, now + duration);
  behind_ = suspended_until_ - frozen_;
  for (timer_file* const each : timers_)
    each->postpone(suspended_until_ - begin);
}

void process::kill() {
  kernel_.trace([&] { return name_ + " is killed"; });
  dead_ = true;
  go_on();
  kernel_.net().kill(*this);
}

time_point process::monotonic_time() const noexcept {
  const auto now = kernel_.time().now();
  return now < suspended_until_ ? frozen_ : now - behind_;
}

time_point process::boot_time() const noexcept {
  return kernel_.time().now();
}

time_point process::real_time() const noexcept {
  return kernel_.time().now() + real_time_;
}

void process::remove(timer_file& timer) noexcept {
  std::erase(timers_, &timer);
}

} // namespace deterministic
