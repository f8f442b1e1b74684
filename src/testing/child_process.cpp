#include "testing/child_process.hpp"

#include "testing/child_process_impl.hpp"

namespace zklock::testing {

using std::chrono::milliseconds;

child_process::child_process(const child_options& options)
    : impl_(std::make_unique<impl>(options)) {}

child_process::~child_process() = default;

child_process::child_process(child_process&& other) noexcept = default;

child_process& child_process::operator=(child_process&& other) noexcept = default;

pid_t child_process::id() const {
  return impl_->id();
}

void child_process::signal(int number) {
  impl_->signal(number);
}

void child_process::halt() {
  impl_->signal(SIGSTOP);
  impl_->wait_for_halt();
}

bool child_process::wait_for_halt() const {
  return impl_->wait_for_halt();
}

bool child_process::wait_for_end(milliseconds limit) const {
  return impl_->wait_for_end(limit);
}

int child_process::wait() const {
  return impl_->wait();
}

int child_process::stop(milliseconds limit) {
  impl_->signal(SIGTERM);
  if (!impl_->wait_for_end(limit)) impl_->signal(SIGKILL);
  return impl_->wait();
}

std::string child_process::how_it_ended() const {
  return impl_->how_it_ended();
}

void child_process::write_line(const std::string& line) {
  impl_->write(line + '\n');
}

void child_process::close_input() {
  impl_->close_input();
}

std::string child_process::read_line(milliseconds limit) {
  if (auto line = impl_->read_line(limit)) return *line;
  throw error("no line from " + impl_->name() + " within " + std::to_string(limit.count()) + " ms");
}

std::optional<std::string> child_process::try_read_line(milliseconds limit) {
  return impl_->read_line(limit);
}

} // namespace zklock::testing
