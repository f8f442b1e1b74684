#include <zklock/error.hpp>

#include <boost/system/error_condition.hpp>

#include <string>

namespace zklock {

namespace {

namespace generic = boost::system::errc;

class category final : public boost::system::error_category {
 public:
  // The id makes codes of two copies of the library comparable.
  constexpr category() noexcept : error_category(0x7a6b6c6f636b0001u) {}

  const char* name() const noexcept override { return "zklock"; }

  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
    case errc::timed_out:
      return "timed out: the lock is still held";
    case errc::busy:
      return "the lock is taken";
    case errc::not_connected:
      return "not connected: no ZooKeeper server has answered in time";
    case errc::not_zookeeper:
      return "the server's address does not speak ZooKeeper's protocol";
    case errc::server_too_old:
      return "the ZooKeeper servers are too old: 3.5.0 is needed, and 3.5.3 for containers";
    case errc::authentication_failed:
      return "the ZooKeeper servers refused the credentials, or demand others";
    case errc::session_expired:
      return "the ZooKeeper session expired, and the lock is lost";
    case errc::data_rolled_back:
      return "the ZooKeeper servers came back with older data: the lock is lost, and fencing "
             "tokens "
             "may go back";
    case errc::budget_exhausted:
      return "no room in the client's max_path_bytes: give other locks back, or raise it";
    case errc::closed:
      return "the lock client is closed";
    case errc::no_permission:
      return "an access control list forbids it: check the client's credentials";
    case errc::no_chroot:
      return "the chroot of the server list does not exist: create it";
    case errc::not_a_directory:
      return "a node above is ephemeral and cannot have children: choose another path";
    case errc::sequence_exhausted:
      return "the sequence numbers of the lock's directory are used up: remove it";
    case errc::refused:
      return "the ZooKeeper servers refused the request: the client's log has the reason";
    case errc::session_timeout_too_short:
      return "the servers granted too short a session timeout: it must exceed check interval and "
             "tick";
    case errc::in_doubt:
      return "the lock is in doubt: the servers have not confirmed the session for too long";
    case errc::entry_deleted:
      return "the lock's entry was deleted from outside";
    case errc::hold_limit_reached:
      return "the hold limit is over";
    case errc::owner_busy:
      return "the owner waits for the lock already";
    case errc::upgrade_refused:
      return "the owner holds less of the lock than it asks for: release it first";
    case errc::downgrade_refused:
      return "the owner has other holds of the lock: release them first";
    case errc::lock_type_mismatch:
      return "the client uses the path as another kind of lock: choose another path";
    case errc::empty_hold:
      return "the hold is empty: never acquired, moved from or released";
    case errc::bad_path:
      return "invalid path, or not a participant of this lock";
    case errc::no_node:
      return "the node does not exist";
    case errc::node_exists:
      return "a node that the transaction creates exists already";
    case errc::bad_version:
      return "a node of the transaction has another version";
    case errc::not_empty:
      return "a node that the transaction removes has children";
    case errc::unknown_outcome:
      return "the connection was lost before the reply: the transaction may have been carried out";
    case errc::bad_transaction:
      return "invalid transaction: must have parts, and not more than 1 MiB";
    case errc::bad_servers:
      return "invalid server list: must be host:port[,host:port]...[/chroot]";
    case errc::bad_timeout:
      return "invalid timeout: must not be negative, and a hold limit must be positive";
    case errc::bad_permits:
      return "invalid number of permits: must be from 1 to the semaphore's limit";
    case errc::bad_identity:
      return "invalid identity: must be UTF-8, at most 4,096 bytes, and no release request";
    case errc::bad_limit:
      return "invalid limit node of the semaphore: must have four bytes, the highest first";
    case errc::not_a_writer:
      return "the hold is not a writer of a shared_mutex";
    case errc::bad_option:
      return "invalid option of the lock client: out of its range";
    case errc::bad_lock_list:
      return "invalid list of locks: must not be empty or have a lock twice";
    case errc::tls_failed:
      return "no TLS with the server: the client's log has the reason";
    case errc::certificate_refused:
      return "the certificate of the server is refused: the client's log has the reason";
    case errc::certificate_demanded:
      return "the server demands a certificate of the client, or another certificate";
    }
    return "unknown error " + std::to_string(value);
  }

  bool equivalent(int value,
                  const boost::system::error_condition& condition) const noexcept override {
    switch (static_cast<errc>(value)) {
    case errc::timed_out:
      return condition == generic::timed_out;
    case errc::busy:
      return condition == generic::resource_unavailable_try_again;
    case errc::not_connected:
      return condition == generic::timed_out || condition == generic::not_connected;
    case errc::not_zookeeper:
    case errc::tls_failed:
    case errc::certificate_refused:
    case errc::certificate_demanded:
      return condition == generic::not_connected;
    case errc::no_permission:
      return condition == generic::permission_denied;
    default:
      return error_category::equivalent(value, condition);
    }
  }
};

} // namespace

const boost::system::error_category& lock_category() noexcept {
  static constexpr category instance;
  return instance;
}

} // namespace zklock
