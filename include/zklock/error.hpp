#pragma once

#include <zklock/export.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <type_traits>

namespace zklock {

using boost::system::error_code;

/// The errors of locks, besides `asio::error::operation_aborted` for an operation that the program
/// cancels. doc/errors.md has the remedy for each code.
enum class errc {
  /// The timeout is over, and the lock is still held: the servers have confirmed the entry in line.
  /// Or `client_options::max_path_bytes` still has no room. The entry is deleted. Compares equal to
  /// `boost::system::errc::timed_out`.
  timed_out = 1,

  /// An acquire with a time limit of zero found the lock taken. `try_acquire` completes without an
  /// error then. Compares equal to `boost::system::errc::resource_unavailable_try_again`.
  busy,

  /// The timeout is over, or a try gives up, and no server has answered: no connection stands, or
  /// the entry was never confirmed. Compares equal to `boost::system::errc::timed_out` and to
  /// `boost::system::errc::not_connected`.
  not_connected,

  /// The timeout is over, or a try gives up, and the last address that was asked does not speak
  /// ZooKeeper's protocol. Compares equal to `boost::system::errc::not_connected`.
  not_zookeeper,

  /// The timeout is over, or a try gives up, and there was no TLS with the last server that was
  /// asked: it does not speak TLS at its port, or it has no version or cipher that the client
  /// accepts. Or the client has no usable certificates of `tls_options::provider`. The client's log
  /// has the reason; the client keeps trying. Compares equal to
  /// `boost::system::errc::not_connected`.
  tls_failed,

  /// The timeout is over, or a try gives up, and the client refused the certificate of the last
  /// server that was asked: it has expired, is revoked, is for another name, or is signed by an
  /// unknown authority. The client's log has the reason; the client keeps trying. Compares equal to
  /// `boost::system::errc::not_connected`.
  certificate_refused,

  /// The timeout is over, or a try gives up, and the last server that was asked demands a
  /// certificate of the client, or refused the client's certificate. The client's log has the
  /// reason; the client keeps trying. Compares equal to `boost::system::errc::not_connected`.
  certificate_demanded,

  /// No server is of use, and the last server is older than ZooKeeper 3.5.0, or older than 3.5.3
  /// and cannot make containers, which `parent_kind::persistent` avoids. The client is of no
  /// further use. Or the timeout is over, and the last server that was asked is too old.
  server_too_old,

  /// The servers refused the credentials, or every server demands authentication by a scheme that
  /// `client_options::credentials` lacks. The client has failed permanently.
  ///
  /// Or the timeout is over, and the last server that was asked demands it.
  authentication_failed,

  /// The session expired. The servers have deleted its entries, and may have granted the lock to
  /// another client.
  session_expired,

  /// The servers have come back with older data: from a backup, from an empty disk, or from disks
  /// that had not synced before a power failure. The client has ended its session, and another
  /// client may have the lock. New fencing tokens may be lower than earlier tokens.
  /// doc/guide/operating.md has the steps after a restore.
  data_rolled_back,

  /// A try found no room for another entry: the entries of the client use up
  /// `client_options::max_path_bytes`.
  /// Or the permits, or the locks of a `multi_lock`, never fit into it; the client's log has the
  /// figures.
  budget_exhausted,

  /// The client was closed or destroyed. Or its execution context was destroyed, and the handler
  /// runs on another context.
  closed,

  /// An access control list, of the lock's directory or of its parents, forbids the request.
  /// Compares equal to `boost::system::errc::permission_denied`.
  no_permission,

  /// The chroot at the end of the server list does not exist.
  no_chroot,

  /// The lock's directory, or a directory above it, is an ephemeral node, which cannot have
  /// children. Or a transaction creates a node below an ephemeral node.
  not_a_directory,

  /// The directory's sequence numbers come near 2^31 and would wrap. Remove the directory while no
  /// client uses the lock: the numbers start again from 0.
  sequence_exhausted,

  /// The servers refused a request for a reason without a code of its own; the client's log has the
  /// reason.
  refused,

  /// Every server granted a session timeout that is not longer than the check interval and the
  /// servers' tick together, so that no hold could ever be proven. The client has failed
  /// permanently.
  /// Or the timeout is over, and the last server that was asked granted such a session timeout.
  session_timeout_too_short,

  /// The servers have not confirmed the session for so long that the lock may soon go to another
  /// client; `with_lock` has cancelled its body.
  in_doubt,

  /// The hold's entry was deleted from outside: by `break_lock`, or by hand. Or an earlier entry of
  /// its client was deleted so, and after it the directory of the lock, and another client comes
  /// first in the new directory.
  entry_deleted,

  /// The lock was held as long as `acquire_options::hold_limit` allows.
  hold_limit_reached,

  /// Another acquire with the owner waits for the lock.
  owner_busy,

  /// The owner holds the lock as a reader and acquires it to write, or acquires more permits than
  /// it holds. It would wait for itself.
  upgrade_refused,

  /// The owner has other holds of the lock, which would become readers' as well.
  downgrade_refused,

  /// The client uses the path as another kind of lock, as a semaphore with another limit, or as a
  /// semaphore's directory: `<path>/locks` or `<path>/leases`.
  lock_type_mismatch,

  /// The hold is empty: never acquired, moved from or released already.
  empty_hold,

  /// ZooKeeper does not accept the path, or it leaves no room for an entry's name. Or a participant
  /// belongs to another lock.
  bad_path,

  /// The list of servers is not `host:port[,host:port]...[/chroot]`, or has another chroot than the
  /// client.
  bad_servers,

  /// The node of a transaction's part, or its parent, does not exist. Or the root of a search for
  /// locks does not exist.
  no_node,

  /// The node that a transaction's part creates exists already.
  node_exists,

  /// The node of a transaction's part has another version than the part names.
  bad_version,

  /// The node that a transaction's part removes has children.
  not_empty,

  /// The connection was lost before the reply came: the transaction was applied or not.
  unknown_outcome,

  /// The transaction has no parts, or is larger than 1 MiB.
  bad_transaction,

  /// The timeout is negative, or the hold limit is not positive.
  bad_timeout,

  /// The number of permits is negative, zero, above the limit of the semaphore, or above
  /// `semaphore::most_permits`. Or the permits do not fit into a transaction with this path and
  /// access list; the client's log has the figures.
  bad_permits,

  /// The identity of an acquire or of a hold is not UTF-8, is longer than 4,096 bytes, or begins
  /// with the line `__REVOKE__`, which stands for a release request; the client's log has the
  /// reason.
  bad_identity,

  /// The znode with a semaphore's limit does not exist, or its data is not a number from 0 to 2^31
  /// - 1 in four bytes, the highest first.
  bad_limit,

  /// The hold is not a writer's of a `shared_mutex`, or its downgrade has started.
  not_a_writer,

  /// An option of a client is out of its range.
  bad_option,

  /// The list of locks is empty, or has a lock twice.
  bad_lock_list,
};

/// Returns the category of `errc`; its name is "zklock".
///
/// Thread safety: safe.
ZKLOCK_EXPORT const boost::system::error_category& lock_category() noexcept;

/// Makes an `error_code` of an `errc`, for implicit conversions.
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
