// Nodes of other clients whose names are those of this client's entries.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(foreign_names, *boost::unit_test::timeout(60))

// Names are no secret, and the next one can be guessed. The node would end with the other session.
BOOST_AUTO_TEST_CASE(node_of_another_session_is_not_taken_for_an_entry_whose_create_was_lost) {
  background context;
  testing::raw_client witness(shared_server().direct_address());
  testing::relay door(shared_server().direct_address());
  const auto path = fresh_path();
  client zk(context.io, options_for(door.address()));
  mutex lock(zk, path);
  hold held = get(lock.acquire(30s, asio::use_future));
  auto name = held.node();
  get(held.release(asio::use_future));

  // The name of the next entry, without its number.
  name.resize(name.rfind('-') + 1);
  const auto digit = name.rfind("-lock-") - 1;
  ++name[digit];
  const auto cut = door.cut_before_request(testing::operation::create2);
  auto waiting = lock.acquire(30s, asio::use_future);
  cut.wait();
  door.refuse();
  testing::raw_client other(shared_server().direct_address());
  const auto foreign = other.create(name, "mine", testing::create_mode::ephemeral_sequential);
  door.heal();

  held = get(waiting);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(held.node() != foreign);
  BOOST_TEST(witness.exists(held.node())->ephemeral_owner == zk.session_id());
  other.close();
  get(held.release(asio::use_future));
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
