#include "client/stop_watch.hpp"

#include "client/acquisition.hpp"
#include "client/body_end.hpp"

#include <boost/asio/post.hpp>

namespace zklock::detail {

stop_watch::stop_watch(const std::shared_ptr<acquisition>& own)
    : boot_timer(own->core().executor()), own_(own), executor_(own->core().executor()) {}

void stop_watch::expired() {
  boost::asio::post(executor_,
                    [self = shared_from_this()] { static_cast<stop_watch&>(*self).look(); });
}

void stop_watch::look() {
  const auto own = own_.lock();
  if (!own) return;
  const auto end = end_of_body(*own).time;
  if (end > boot_clock::now()) return expires_at(end);
  expires_at(boot_clock::time_point::max());
  source_.request_stop();
}

} // namespace zklock::detail
