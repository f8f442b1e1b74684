// error: no matching (member )?function for call to .*commit
#include <zklock/hold.hpp>

#include <boost/asio/use_awaitable.hpp>

boost::asio::awaitable<void> sell(const zklock::hold& held) {
  co_await held.commit(boost::asio::use_awaitable); // wrong
}
