#include "chaos/client/event_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace chaos {

event_log::event_log(const std::filesystem::path& file)
    : descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::system_category(), "cannot write to " + file.string());
}

event_log::~event_log() {
  ::close(descriptor_);
}

void event_log::append(const std::string& line) const {
  // In a single call, so that a kill leaves a whole line or none.
  if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::system_error(errno, std::system_category(), "cannot write the log");
}

} // namespace chaos
