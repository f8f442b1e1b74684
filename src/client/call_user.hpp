#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <exception>

namespace zklock::detail {

/// Calls a function of the user. An exception is rethrown from a handler of the client's execution
/// context: thrown through the strand, it would leave an event half processed.
template <class Function>
void call_user(const boost::asio::any_io_executor& executor, Function function) {
  try {
    function();
  } catch (...) {
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

} // namespace zklock::detail
