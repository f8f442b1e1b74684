#include "deterministic/kernel/event_file.hpp"

#include <poll.h>

#include <cstring>
#include <utility>

namespace deterministic {

std::uint32_t event_file::ready() const {
  return POLLOUT | (value_ != 0 ? POLLIN : 0);
}

ssize_t event_file::read(void* to, std::size_t size) {
  if (size < sizeof value_) return -EINVAL;
  if (value_ == 0) return -EAGAIN;
  std::memcpy(to, &value_, sizeof value_);
  value_ = 0;
  changed(POLLOUT);
  return sizeof value_;
}

ssize_t event_file::write(const void* from, std::size_t size) {
  if (size < sizeof value_) return -EINVAL;
  std::uint64_t added = 0;
  std::memcpy(&added, from, sizeof added);
  value_ += added;
  changed(POLLIN);
  return sizeof value_;
}

} // namespace deterministic
