// error: no matching (member )?function for call to .*acquire
#include <zklock/mutex.hpp>

#include <boost/asio/use_future.hpp>

using namespace std::chrono_literals;

void sell(zklock::mutex& tickets) {
  auto held = tickets.acquire(boost::asio::use_future, 5s); // wrong
}
