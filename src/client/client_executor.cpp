#include "client/client_executor.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

namespace zklock::detail {

namespace asio = boost::asio;

client_executor::shared::shared(asio::execution_context& of, context_guard::kept_executor executor)
    : context(&of), guard(context_guard::of(of)), own(guard->keep(std::move(executor))) {}

asio::any_io_executor client_executor::of(const asio::any_io_executor& own) {
  if (own.target<asio::io_context::executor_type>() ||
      own.target<asio::thread_pool::executor_type>() || own.target<asio::system_executor>())
    return own;
  context_guard::kept_executor kept{asio::prefer(own, asio::execution::blocking.possibly),
                                    asio::require(own, asio::execution::blocking.never)};
  auto& context = asio::query(own, asio::execution::context);
  return client_executor(std::make_shared<const shared>(context, std::move(kept)), false);
}

asio::execution::blocking_t client_executor::query(asio::execution::blocking_t) const noexcept {
  return never_ ? asio::execution::blocking_t(asio::execution::blocking.never)
                : asio::execution::blocking_t(asio::execution::blocking.possibly);
}

client_executor client_executor::require(asio::execution::outstanding_work_t::tracked_t) const {
  auto made = *this;
  const auto inside = shared_->guard->enter();
  if (inside)
    made.work_ = asio::prefer(shared_->own->at_once, asio::execution::outstanding_work.tracked);
  return made;
}

} // namespace zklock::detail
