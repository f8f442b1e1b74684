#pragma once

#include "zookeeper/c_client.hpp"
#include "zookeeper/reply_check.hpp"

#include <optional>
#include <string>

namespace zklock::zookeeper {

/// Why a handle of the C client is lost, or why the replies of its server are not delivered any
/// more. The first reason of a loss counts.
class handle_end {
 public:
  bool is_lost() const noexcept { return lost_; }
  void lose(int code) noexcept;

  /// Loses the handle since the C client has refused a request "to `name`", a string literal.
  void cannot_send(const char* name, int code) noexcept;

  /// Loses the handle since the server is of no use.
  void reject_server(std::string why);

  /// The node `resurrected` shows that the data of the server is older than the client has seen.
  /// The handle is not lost: the session is closed through it.
  void reject_data(std::string resurrected);

  /// Whether replies are not delivered any more.
  bool is_rejected() const noexcept { return rejected_; }
  const std::string& resurrected() const noexcept { return resurrected_; }

  /// The lines that the C client has logged.
  std::string& logged() noexcept { return logged_; }

  /// Describes the loss. A fault in the server's messages says more than the C client's lines.
  std::string message(const std::optional<server_fault>& fault) const;

 private:
  bool lost_ = false;
  int code_ = ZCONNECTIONLOSS;
  const char* unsent_ = nullptr;
  bool rejected_ = false;
  std::string resurrected_;
  std::string logged_;
};

} // namespace zklock::zookeeper
