#pragma once

#include <zklock/error.hpp>

#include "zookeeper/session.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace zklock::detail {

class client_state;

/// A question to the servers that is no part of a queue: who takes part, what a node says. Used on
/// the client's strand only; the client keeps it alive until it has ended and nothing is on its way
/// to it.
///
/// A connection that is lost before the answer makes it begin anew, unless `interrupted` says
/// otherwise. Where there is none for as long as `client_options::connect_timeout` it fails.
class inquiry : public zookeeper::receiver, public std::enable_shared_from_this<inquiry> {
 public:
  virtual ~inquiry();

  /// Ends it, and tells who asked.
  void fail(error_code why);

  bool is_over() const noexcept { return ended_; }

  /// Destroys the handler of who asked, without calling it.
  virtual void drop() noexcept = 0;

 protected:
  explicit inquiry(client_state& client) noexcept : client_(client) {}

  /// Sends the first request.
  virtual void begin() = 0;

  /// The answer to a request.
  virtual void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) = 0;

  /// The connection is gone; what was asked will not be answered.
  virtual void interrupted() {}

  /// A watch fired.
  virtual void fired(std::string_view, bool) {}

  /// Tells who asked that it failed.
  virtual void failed(error_code why) = 0;

  /// It has come to its end, and who asked was told.
  void end() noexcept { ended_ = true; }

  /// For each request that is sent: its answer is waited for.
  zookeeper::request_tag ask(int what, std::uint64_t which = 0) noexcept {
    ++unanswered_;
    return {what, which};
  }

  client_state& client() noexcept { return client_; }
  zookeeper::session& session() noexcept;

 private:
  friend class inquiries;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept final;

  client_state& client_;
  std::optional<boost::asio::steady_timer> patience_;
  std::size_t unanswered_ = 0;
  bool ended_ = false;
};

} // namespace zklock::detail
