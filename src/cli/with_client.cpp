#include "cli/with_client.hpp"

#include "cli/failure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>

namespace zklock::cli {

int run_with_client(const client_options& options,
                    const std::function<boost::asio::awaitable<int>(client&)>& body) {
  namespace asio = boost::asio;
  asio::io_context io{1};
  client zk(io, options);
  std::exception_ptr problem;
  int code = 0;
  asio::co_spawn(io, body(zk), [&](std::exception_ptr thrown, int result) {
    problem = thrown;
    code = result;
    zk.close(asio::detached);
  });
  io.run();
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const boost::system::system_error& e) {
    throw failure(exit_code_of(e.code()), text_of(e.code(), options));
  }
  return code;
}

} // namespace zklock::cli
