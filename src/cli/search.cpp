#include "cli/search.hpp"

#include <zklock/error.hpp>
#include <zklock/mutex.hpp>

#include "cli/failure.hpp"
#include "cli/text.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace zklock::cli {

namespace asio = boost::asio;

void check_lock_path(const client& zk, const std::string& path) try {
  static_cast<void>(mutex(zk, path));
} catch (const boost::system::system_error& e) {
  throw usage_error(text_of(e));
}

asio::awaitable<std::vector<found_lock>> search(client& zk, std::string root, if_missing then,
                                                std::size_t levels) {
  if (root != "/") check_lock_path(zk, root);
  boost::system::error_code error;
  auto found =
      co_await zk.find_locks(root, levels, asio::redirect_error(asio::use_awaitable, error));
  if (error == errc::no_node) {
    const auto text = printable(root) + " does not exist";
    if (then == if_missing::fail) throw failure(exit_code::unavailable, text);
    if (then == if_missing::report) report(text);
  } else if (error) {
    throw boost::system::system_error(error);
  }
  co_return found;
}

} // namespace zklock::cli
