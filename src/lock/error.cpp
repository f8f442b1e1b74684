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
      return "the time is up while in line for the lock";
    case errc::busy:
      return "the lock is taken";
    case errc::not_connected:
      return "no ZooKeeper server has answered in time";
    case errc::not_zookeeper:
      return "what answers at the server's address does not speak ZooKeeper's protocol";
    case errc::server_too_old:
      return "the ZooKeeper servers are older than 3.5.0, or than 3.5.3 for containers";
    case errc::authentication_failed:
      return "the ZooKeeper servers refused the credentials";
    case errc::session_expired:
      return "the ZooKeeper session expired";
    case errc::budget_exhausted:
      return "owned_bytes of the lock client leaves no room for it";
    case errc::closed:
      return "the lock client is closed";
    case errc::no_permission:
      return "an access control list of ZooKeeper does not permit this";
    case errc::no_chroot:
      return "the chroot of the lock client does not exist";
    case errc::not_a_directory:
      return "the node above, the lock's directory for example, is an ephemeral node";
    case errc::sequence_exhausted:
      return "the sequence numbers of the lock's directory are used up";
    case errc::refused:
      return "the ZooKeeper servers refused the request";
    case errc::session_timeout_too_short:
      return "the servers granted a session timeout too short for the check interval and tick";
    case errc::in_doubt:
      return "the servers have not confirmed the session for too long";
    case errc::entry_deleted:
      return "somebody else deleted the lock's entry";
    case errc::hold_limit_reached:
      return "the lock was held as long as its hold limit allows";
    case errc::owner_busy:
      return "the owner waits for the lock already";
    case errc::upgrade_refused:
      return "the owner holds less of the lock than it wants now, and would wait for itself";
    case errc::downgrade_refused:
      return "the owner has other holds of the lock, which would become readers' as well";
    case errc::lock_type_mismatch:
      return "the lock client uses the path as another kind of lock";
    case errc::empty_hold:
      return "the hold is empty";
    case errc::bad_path:
      return "not a path that can be used here";
    case errc::no_node:
      return "a node of the transaction does not exist";
    case errc::node_exists:
      return "a node that the transaction creates exists";
    case errc::bad_version:
      return "a node of the transaction has another version";
    case errc::not_empty:
      return "a node that the transaction removes has children";
    case errc::unknown_outcome:
      return "the connection went before ZooKeeper's answer: the outcome is not known";
    case errc::bad_transaction:
      return "the transaction is empty or too large";
    case errc::bad_servers:
      return "not a list of ZooKeeper servers";
    case errc::bad_timeout:
      return "a timeout must not be negative, and a hold limit must be positive";
    case errc::bad_permits:
      return "no permits, or more than the semaphore has or one acquire can take";
    case errc::bad_limit:
      return "the node that tells the semaphore's limit is missing or holds no number";
    case errc::not_a_writer:
      return "the hold is not one of a shared_mutex to write";
    case errc::bad_option:
      return "an option of the lock client is out of its range";
    case errc::bad_lock_list:
      return "a list of locks is empty or has the same lock in it twice";
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
