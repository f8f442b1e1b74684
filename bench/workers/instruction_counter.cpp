#include "instruction_counter.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {

namespace {

int open_counter() {
  perf_event_attr chosen{};
  chosen.size = sizeof(chosen);
  chosen.type = PERF_TYPE_HARDWARE;
  chosen.config = PERF_COUNT_HW_INSTRUCTIONS;
  chosen.disabled = 1;
  chosen.inherit = 1;
  chosen.exclude_kernel = 1;
  chosen.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &chosen, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

instruction_counter::instruction_counter() : descriptor_(open_counter()) {}

instruction_counter::~instruction_counter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void instruction_counter::start() {
  if (descriptor_ >= 0) ::ioctl(descriptor_, PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<std::uint64_t> instruction_counter::stop() {
  if (descriptor_ < 0) return std::nullopt;
  ::ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
  std::uint64_t count = 0;
  if (::read(descriptor_, &count, sizeof(count)) != sizeof(count)) return std::nullopt;
  return count;
}

} // namespace bench
