#pragma once

#include <zklock/clock.hpp>

#include "support/unique_descriptor.hpp"
#include "zookeeper/c_client.hpp"
#include "zookeeper/inbox.hpp"
#include "zookeeper/request.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/transaction_pool.hpp"
#include "zookeeper/wire.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// A handle of the C client: one attempt to connect to one address, and the connection if it
/// succeeds. Independent of Asio.
///
/// Callbacks only fill the inbox. After any error, `state` is `lost` and stays so.
class handle {
 public:
  enum class condition {
    connecting,
    associating,
    connected,
    lost,
    authentication_failed,
  };

  /// The result of zookeeper_interest(): the events to wait for.
  struct interest {
    int descriptor = -1;
    bool write = false;
    std::chrono::milliseconds delay{0};
  };

  /// `newest_write` is the newest zxid that a reply to a write has shown on earlier connections.
  handle(const std::string& address, const introduction& as, std::int64_t newest_write,
         const session_options& options);

  /// Closes the connection without closing the session. Sends nothing and does not block.
  ~handle();

  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;

  condition state() const noexcept;

  /// Why the connection is lost: the fault of the server, or else the C client's messages.
  std::string error_message() const;

  /// The fault in the server's messages, if there is one.
  const std::optional<server_fault>& fault() const noexcept { return wire_.fault(); }

  /// The request behind which the connection was lost: the largest transaction without a reply, or
  /// else the first request without a reply.
  request_label unanswered() const noexcept { return unanswered_; }

  /// The session that the server has granted. It may differ from the session that was asked for.
  clientid_t id() const noexcept { return *zoo_client_id(library_); }
  std::chrono::milliseconds timeout() const noexcept;

  /// Returns the events to wait for. The first call opens the socket.
  interest next_interest();

  /// Processes at most one message. Returns whether there may be more.
  bool process(int events);

  /// The newest zxid that a reply to a write has shown.
  std::int64_t newest_write() const noexcept { return wire_.checked().newest_write(); }
  /// The zxid of a write that was not above the newest one; nothing without such a write.
  std::optional<std::int64_t> rolled_back_to() const noexcept {
    return wire_.checked().rolled_back_to();
  }

  /// Whether the socket has not taken all requests.
  bool is_send_cut_short() const noexcept { return wire_.is_send_cut_short(); }

  /// Makes the connection lost, and drops the messages of the server that are not delivered yet.
  void reject_server(std::string why);
  bool is_server_rejected() const noexcept { return server_rejected_; }

  /// The received messages. The caller removes them.
  inbox& received() noexcept { return inbox_; }

  /// Drops the messages of the server that are not delivered yet: this node shows that the data of
  /// the server is older than the client has seen.
  void reject_data(std::string shown_by);
  /// The node that shows older data; empty where none does.
  const std::string& resurrected() const noexcept { return resurrected_; }

  /// Whether the data of the server is older than the client has seen.
  bool is_data_older() const noexcept { return rolled_back_to() || !resurrected_.empty(); }

  /// Takes a duplicate of the socket. `close_session` reads the last reply from it.
  void adopt(detail::unique_descriptor socket) noexcept { socket_ = std::move(socket); }

  /// Makes the connection lost for a reason, which must be a string literal.
  void give_up(const char* why) noexcept;

  /// Makes all later callbacks do nothing.
  void detach() noexcept { detached_ = true; }

  /// Closes the session. Blocks for up to 4.5 seconds. Returns whether the server has confirmed
  /// that the session is closed.
  bool close_session();

  // Each returns whether the request was sent: it is not if the C client refuses it, which makes
  // the connection lost, or if the watch to be removed has triggered meanwhile.
  bool send(const request& what, receiver& to, request_tag tag);
  bool remove_watch(const std::string& path, watch_kind kind);
  bool sync(const std::string& path);

 private:
  /// The context of a callback: one request without a reply.
  struct pending {
    handle* from = nullptr;
    receiver* to = nullptr;
    request_tag tag;
    request_label label;
    boot_clock::time_point sent;
    bool writes = false;
    std::unique_ptr<transaction_reply> parts;
    pending* next = nullptr;
  };

  int make(const create_directory& what, pending& made);
  int make(const create_entry& what, pending& made);
  int make(const remove& what, pending& made);
  int make(const list& what, pending& made);
  int make(const list_own& what, pending& made);
  int make(const get& what, pending& made);
  int make(const exists& what, pending& made);
  int make(const set& what, pending& made);
  int make(const check& what, pending& made);
  int make(const transact& what, pending& made);
  int make(const confirm& what, pending& made);
  pending& take_pending();
  void prepare(zoo_op_t& operation, const write& one, transaction_reply& parts);
  void recycle(pending& what) noexcept;
  bool fail_to_send(const char* name, int code) noexcept;
  void lose(int code) noexcept;

  template <class Function>
  void add_message(Function function) noexcept;
  static message* add_reply(int code, const void* data);
  static message* add_names(int code, const String_vector* names, const void* data);

  static void on_event(zhandle_t* library, int type, int state, const char* path,
                       void* context) noexcept;
  static void on_directory(int code, const char* path, const void* data) noexcept;
  static void on_entry(int code, const char* path, const Stat* stat, const void* data) noexcept;
  static void on_removed(int code, const void* data) noexcept;
  static void on_list(int code, const String_vector* names, const Stat* stat,
                      const void* data) noexcept;
  static void on_own(int code, const String_vector* paths, const void* data) noexcept;
  static void on_node(int code, const char* value, int size, const Stat* stat,
                      const void* data) noexcept;
  static void on_watch_removed(int code, const void* data) noexcept;
  static void on_sync(int code, const char* path, const void* data) noexcept;
  static void on_stat(int code, const Stat* stat, const void* data) noexcept;
  static void on_transaction(int code, const void* data) noexcept;

  wire wire_;
  zhandle_t* library_ = nullptr;
  detail::unique_descriptor socket_;
  bool opened_ = false;
  bool lost_ = false;
  bool detached_ = false;
  bool server_rejected_ = false;
  std::string resurrected_;
  int code_ = ZCONNECTIONLOSS;
  const char* given_up_ = nullptr;
  const char* unsent_ = nullptr;
  request_label unanswered_;
  std::string messages_;
  inbox inbox_;
  std::vector<ACL> access_;
  ACL_vector access_list_{};
  std::vector<zoo_op_t> operations_;
  std::deque<pending> pending_;
  pending* free_ = nullptr;
  transaction_pool transactions_;
};

} // namespace zklock::zookeeper
