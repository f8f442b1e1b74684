#pragma once

#include <zklock/stats.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace zklock::metrics {

/// Serves the figures of a client to Prometheus by HTTP, at the path `/metrics`.
///
/// A request by another method than GET and HEAD is answered with 405, a request for another path
/// with 404, and a request whose figures end in an exception with 500. A connection is closed after
/// 30 s without a request. The head of a request has at most 8 KiB.
///
/// The exporter runs on a strand of its executor. Destroy it before the execution context.
///
/// Thread safety: distinct objects are safe, a shared object is not.
class exporter {
 public:
  /// Returns the figures to serve, such as `client::stats`. Called on the executor, once for each
  /// request.
  using source = std::function<stats()>;

  /// Listens at an address and port; port 0 selects a free port. Throws
  /// `boost::system::system_error` if the port is taken or the address is not of this machine.
  exporter(const boost::asio::any_io_executor& executor,
           const boost::asio::ip::tcp::endpoint& where, source figures);

  /// As the constructor above, with the executor of an execution context.
  template <class ExecutionContext>
  requires requires(ExecutionContext& context) { context.get_executor(); }
  exporter(ExecutionContext& context, const boost::asio::ip::tcp::endpoint& where, source figures)
      : exporter(boost::asio::any_io_executor(context.get_executor()), where, std::move(figures)) {}

  /// Stops listening and closes all connections, on the executor. The source is not called when the
  /// destructor has returned: the destructor waits for a call on another thread. The source must
  /// not destroy the exporter.
  ~exporter();

  exporter(const exporter&) = delete;
  exporter& operator=(const exporter&) = delete;

  /// Returns the port that the exporter listens on.
  unsigned short port() const noexcept { return port_; }

 private:
  class server;

  std::shared_ptr<server> server_;
  unsigned short port_;
};

} // namespace zklock::metrics
