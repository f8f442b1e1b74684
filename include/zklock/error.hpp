#pragma once

#include <zklock/export.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <type_traits>

namespace zklock {

using boost::system::error_code;

/// The errors of locks, besides `asio::error::operation_aborted` for an operation that the program
/// cancels. Every code means one thing; doc/errors.md says what to do about each.
enum class errc {
  /// The timeout is over, and the lock is still held: the servers have confirmed the entry in line.
  /// Or `client_options::owned_bytes` still has no room. The entry is deleted. Compares equal to
  /// `boost::system::errc::timed_out`.
  timed_out = 1,

  /// A try found the lock taken. Compares equal to
  /// `boost::system::errc::resource_unavailable_try_again`.
  busy,

  /// The timeout is over, or a try gives up, and no server has answered: no connection stands, or
  /// the entry was never confirmed. Compares equal to `boost::system::errc::timed_out` and to
  /// `boost::system::errc::not_connected`.
  not_connected,

  /// The timeout is over, or a try gives up, and what listens at the address that was asked last
  /// does not speak ZooKeeper's protocol. Compares equal to `boost::system::errc::not_connected`.
  not_zookeeper,

  /// No server is of use, and the last one is older than ZooKeeper 3.5.0, or older than 3.5.3 and
  /// cannot make containers, which `parent_kind::persistent` does without. The client is of no
  /// further use. Or the timeout is over, and the server that was asked last is too old.
  server_too_old,

  /// The servers refused the credentials, or every server demands authentication by a scheme of
  /// which `client_options::credentials` has none. The client is of no further use. Or the timeout
  /// is over, and the server that was asked last demands that.
  authentication_failed,

  /// The session expired. The servers have deleted its entries, and may have granted the lock to
  /// another client.
  session_expired,

  /// The servers have come back with older data: from a backup, from an empty disk, or from disks
  /// that had not synced before a power failure. The client has ended its session, and another
  /// client may have the lock. New fencing tokens may be lower than earlier tokens:
  /// doc/guide/operating.md says what to do after a restore.
  data_rolled_back,

  /// A try found no room for another entry: the entries of the client use up
  /// `client_options::owned_bytes`. Or the nodes of so many permits alone take more; the client's
  /// log has the figures.
  budget_exhausted,

  /// The client was closed or destroyed.
  closed,

  /// An access control list, of the lock's directory or of its parents, forbids this. Compares
  /// equal to `boost::system::errc::permission_denied`.
  no_permission,

  /// The chroot at the end of the server list does not exist.
  no_chroot,

  /// The lock's directory, or one above it, is an ephemeral node, which cannot have children. Or a
  /// transaction creates a node below an ephemeral node.
  not_a_directory,

  /// The directory's sequence numbers come near 2^31 and would wrap. Remove the directory while no
  /// client uses the lock: the numbers start again from 0.
  sequence_exhausted,

  /// The servers refused a request for a reason without a code of its own; the client's log has the
  /// reason.
  refused,

  /// Every server granted a session timeout that is not longer than the check interval and the
  /// servers' tick together, so that no hold could ever be proven. The client is of no further use.
  /// Or the timeout is over, and the server that was asked last granted such a session timeout.
  session_timeout_too_short,

  /// The servers have not confirmed the session for so long that the lock may soon go to another
  /// client; `with_lock` has cancelled its body.
  in_doubt,

  /// The hold's entry was deleted from outside: by `break_lock`, or by hand. Or an earlier entry of
  /// its client was, and after it the directory of the lock, and another client comes first in the
  /// directory that was made instead.
  entry_deleted,

  /// The lock was held as long as `acquire_options::hold_limit` allows.
  hold_limit_reached,

  /// The same owner waits for this lock already.
  owner_busy,

  /// The owner holds less of the lock than it asks for now: it reads and asks to write, or it asks
  /// for more permits. It would wait for itself.
  upgrade_refused,

  /// The owner has other holds of the lock, which would become readers' as well.
  downgrade_refused,

  /// The client uses the path as another kind of lock, as a semaphore with another limit, or as one
  /// of a semaphore's directories: `<path>/locks` or `<path>/leases`.
  lock_type_mismatch,

  /// The hold is empty: never acquired, moved from or released already.
  empty_hold,

  /// ZooKeeper does not accept the path, or it leaves no room for an entry's name. Or a participant
  /// is not one of this lock.
  bad_path,

  /// The list of servers is not `host:port[,host:port]...[/chroot]`.
  bad_servers,

  /// The node of a transaction's part, or the one above it, does not exist. Or the root of a search
  /// for locks does not exist.
  no_node,

  /// The node that a transaction's part creates exists already.
  node_exists,

  /// The node of a transaction's part has another version than the part asks for.
  bad_version,

  /// The node that a transaction's part removes has children.
  not_empty,

  /// The connection was lost before the reply came: whether the transaction was carried out is not
  /// known.
  unknown_outcome,

  /// The transaction has no parts, or is larger than what the servers accept.
  bad_transaction,

  /// The timeout is negative, or the hold limit is not positive.
  bad_timeout,

  /// The number of permits is negative, zero, above the limit of the semaphore, or above
  /// `semaphore::most_permits`. Or so many do not fit into one transaction with this path, identity
  /// and access list; the client's log has the figures.
  bad_permits,

  /// The znode with a semaphore's limit does not exist, or its data is not four bytes that are a
  /// number from 0 to 2^31 - 1.
  bad_limit,

  /// Only a writer of a `shared_mutex` can become a reader.
  not_a_writer,

  /// An option of a client is out of its range.
  bad_option,

  /// The list of locks is empty, or has the same lock in it twice.
  bad_lock_list,
};

/// Returns the category of `errc`; its name is "zklock".
///
/// Thread safety: safe.
ZKLOCK_EXPORT const boost::system::error_category& lock_category() noexcept;

/// Makes an `error_code` of an `errc`, so that an `errc` can be used wherever an `error_code` is
/// expected.
///
/// Thread safety: safe.
inline error_code make_error_code(errc value) noexcept {
  return {static_cast<int>(value), lock_category()};
}

} // namespace zklock

/// @cond
template <>
struct boost::system::is_error_code_enum<zklock::errc> : std::true_type {};
/// @endcond
