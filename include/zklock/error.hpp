#pragma once

#include <zklock/export.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <type_traits>

namespace zklock {

using boost::system::error_code;

/// What can go wrong with a lock, besides `asio::error::operation_aborted` for what the caller
/// cancelled. Every code means one thing; the table in doc/errors.md says what to do about it.
enum class errc {
  /// The deadline passed in line for the lock: the servers have confirmed the place, and not that
  /// the lock is free; or there was no room in `client_options::owned_bytes`. Nothing of ours is
  /// left in the queue.
  /// Compares equal to `boost::system::errc::timed_out`.
  timed_out = 1,

  /// A try found the lock taken. Compares equal to
  /// `boost::system::errc::resource_unavailable_try_again`.
  busy,

  /// The deadline passed, or a try gave up, without an answer of a server: no connection stood, or
  /// the place in line was never confirmed. Compares equal to
  /// `boost::system::errc::timed_out` and to `boost::system::errc::not_connected`.
  not_connected,

  /// The deadline passed, or a try gave up, and what listens at the address that was asked last
  /// does not speak ZooKeeper's protocol. Compares equal to `boost::system::errc::not_connected`.
  not_zookeeper,

  /// No server is of use, the last one since it is older than ZooKeeper 3.5.0, or older than 3.5.3
  /// and cannot make containers, which `parent_kind::persistent` does without. The client is of no
  /// further use. Also where the deadline passed, and that is so of the server that was asked last.
  server_too_old,

  /// The servers refused the credentials. The client is of no further use.
  authentication_failed,

  /// The session expired: the servers have deleted its entries and may have given the lock away.
  session_expired,

  /// A try found no room for another entry: those that the client has already use up
  /// `client_options::owned_bytes`. Or an acquire wants so many permits that their nodes take more
  /// than that by themselves; the client's log function is told the figures.
  budget_exhausted,

  /// The client was closed or destroyed.
  closed,

  /// The access control list of the lock's directory or of its parents does not permit this.
  /// Compares equal to `boost::system::errc::permission_denied`.
  no_permission,

  /// The chroot at the end of the server list does not exist.
  no_chroot,

  /// The lock's directory, or one above it, is an ephemeral node and cannot have children; or that
  /// is so of a node that a transaction was to create one below.
  not_a_directory,

  /// The directory's sequence numbers are about to reach 2^31 and would wrap. Remove the
  /// directory while nobody uses the lock: the numbers start again from 0.
  sequence_exhausted,

  /// The servers refused a request for a reason that none of the other codes names; the client's
  /// log function was told the reason.
  refused,

  /// Every server granted a session timeout that is not longer than the check interval and the
  /// servers' tick together: no hold could ever be proven. The client is of no further use. Also
  /// where the deadline passed, and the server that was asked last granted such a timeout.
  session_timeout_too_short,

  /// The servers have not confirmed the session for so long that the hold may soon be somebody
  /// else's; `with_lock` has cancelled its body.
  in_doubt,

  /// The hold's entry was deleted by somebody else: by `break_lock`, or by hand.
  entry_deleted,

  /// The lock was held as long as `acquire_options::hold_limit` allows.
  hold_limit_reached,

  /// The owner waits for this lock already, elsewhere.
  owner_busy,

  /// The owner holds the lock, but less of it than is wanted now: to write by who reads, or more
  /// permits. Waiting would be for itself.
  upgrade_refused,

  /// The owner has other holds of the lock, which would become readers' as well.
  downgrade_refused,

  /// The client uses the path as another kind of lock, as a semaphore with another limit, or as one
  /// of a semaphore's directories: `<path>/locks` or `<path>/leases`.
  lock_type_mismatch,

  /// The hold is empty: never acquired, moved from or released already.
  empty_hold,

  /// A path that ZooKeeper would not accept, or one that leaves no room for an entry's name; or a
  /// participant that is none of the lock's.
  bad_path,

  /// A list of servers that is not `host:port[,host:port]...[/chroot]`.
  bad_servers,

  /// A transaction's part: the node, or the one above it, does not exist.
  no_node,

  /// A transaction's part: the node exists already.
  node_exists,

  /// A transaction's part: the node has another version than the one that was named.
  bad_version,

  /// A transaction's part: the node has children.
  not_empty,

  /// The connection went before the answer came: whether a transaction was carried out is not
  /// known.
  unknown_outcome,

  /// A transaction without parts, or one that is larger than what the servers accept.
  bad_transaction,

  /// A negative timeout, or a limit of holding that is not positive.
  bad_timeout,

  /// A number of permits that is negative, zero, or above the limit of the semaphore or
  /// `semaphore::most_permits`, or more than fit into one transaction with this path, identity and
  /// access list; of that the client's log function is told the figures.
  bad_permits,

  /// The node that tells a semaphore's limit does not exist, or holds something else than four
  /// bytes that are a number from 0 to 2^31 - 1.
  bad_limit,

  /// Only who holds a `shared_mutex` to write can become a reader.
  not_a_writer,

  /// An option of a client that is out of its range.
  bad_option,

  /// A list of locks that is empty, or that has the same lock in it twice.
  bad_lock_list,
};

/// The category of `errc`.
///
/// Thread safety: safe.
ZKLOCK_EXPORT const boost::system::error_category& lock_category() noexcept;

/// Lets an `errc` be used wherever an `error_code` is expected.
///
/// Thread safety: safe.
inline error_code make_error_code(errc value) noexcept {
  return {static_cast<int>(value), lock_category()};
}

} // namespace zklock

template <>
struct boost::system::is_error_code_enum<zklock::errc> : std::true_type {};
