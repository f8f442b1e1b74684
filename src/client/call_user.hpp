#pragma once

#include "zookeeper/strand.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <utility>

namespace zklock::detail {

/// Whether this thread runs a function of the user that the library has called in the middle of an
/// event.
inline thread_local bool in_call_of_user = false;

/// Calls a function of the user. An exception is rethrown from a handler of the client's execution
/// context: thrown through the strand, the exception would leave an event half processed.
template <class Function>
void call_user(const boost::asio::any_io_executor& executor, Function function) {
  const bool outer = std::exchange(in_call_of_user, true);
  try {
    function();
  } catch (...) {
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
  in_call_of_user = outer;
}

/// Runs a function on a strand: at once if possible, but never in the middle of an event
/// of the strand. The caller is the program: no other function of the strand runs inside its call.
template <class Function>
void run_on(const zookeeper::strand& strand, Function&& function) {
  if (in_call_of_user)
    boost::asio::post(strand, std::forward<Function>(function));
  else
    strand.execute_alone(std::forward<Function>(function));
}

} // namespace zklock::detail
