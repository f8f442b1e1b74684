#pragma once

#include <boost/circular_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::zookeeper {

/// What is wrong with what a server sent.
struct server_fault {
  enum class kind {
    /// Something that ZooKeeper's protocol does not have, in answer to the first frame.
    not_zookeeper,
    /// A session timeout that is of no use to the client.
    session_timeout_too_short,
    /// A request that it does not know. It hangs up behind that.
    too_old,
    /// Anything else.
    broken,
  };

  kind what;
  /// A sentence about the server: "it ...".
  std::string text;
};

/// What follows the header of a reply where that has no error.
enum class answer_shape : std::uint8_t {
  nothing,
  path,
  stat,
  path_and_stat,
  data_and_stat,
  names_and_stat,
  /// One result for each part of a transaction.
  results,
};

/// Checks what a server sends on one connection before the C client sees it.
///
/// The C client believes lengths, counts and numbers: with wrong ones it loops, aborts the process
/// or reads memory that was never written. What passes here it can take. The rules: the first frame
/// answers the handshake; after it come events, answers to pings, as many answers to credentials as
/// were sent, and replies with the numbers of the requests in their order.
class reply_check {
 public:
  struct expectations {
    /// The session that is to be resumed, 0 for a new one.
    std::int64_t session = 0;
    std::size_t credentials = 0;
    /// What is wrong with a session timeout, which may be nothing; none: nothing ever is.
    std::function<std::string(std::chrono::milliseconds)> shortcoming{};
  };

  /// No list of names is larger: it has room for a million entries of locks. Servers have no limit
  /// of their own for what they send.
  static constexpr std::int32_t longest_frame = 64 * 1024 * 1024;

  explicit reply_check(expectations wanted);

  /// A request is made: its reply will have this number, and this behind the header.
  void expect(std::int32_t number, answer_shape shape);

  /// The request that was expected last, no transaction, is not made.
  void withdraw_last() noexcept { replies_.pop_back(); }

  /// The next request is a transaction, and this is one more of its parts.
  void expect_part(answer_shape shape);

  /// Checks the beginning of a frame, its length first, as far as it has arrived.
  std::optional<server_fault> check_begin(std::string_view bytes) const;

  /// Checks the whole of a frame without its length, and takes note of it.
  std::optional<server_fault> check(std::string_view frame);

 private:
  struct expected {
    std::int32_t number = 0;
    answer_shape shape = answer_shape::nothing;
    std::size_t parts = 0;
  };

  std::optional<server_fault> check_handshake(std::string_view frame) const;
  std::optional<server_fault> check_reply(std::int32_t number, std::int32_t error,
                                          std::string_view body);
  bool has_shape(const expected& reply, std::string_view body) const;

  const expectations wanted_;
  bool greeted_ = false;
  std::size_t credentials_;
  boost::circular_buffer<expected> replies_{16};
  boost::circular_buffer<answer_shape> parts_{16};
  /// Of the next transaction.
  std::size_t new_parts_ = 0;
};

} // namespace zklock::zookeeper
