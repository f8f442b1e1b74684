// Nodes of other clients with the names of this client's entries.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/stat_of.hpp"
#include "testing/checked_reader.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

std::string path_of(const testing::frame& request) {
  testing::checked_reader in(request.bytes);
  in.take_int(); // the xid
  in.take_int(); // the type
  return std::string(in.take_string());
}

} // namespace

BOOST_AUTO_TEST_SUITE(foreign_names, *boost::unit_test::timeout(60))

// Names are no secret, and the next name can be guessed. The node would end with a foreign session.
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
  std::string sent;
  const auto keep_path = [&sent](const testing::frame& request) {
    if (request.kind != testing::operation::create2) return false;
    sent = path_of(request);
    return true;
  };
  const auto cut = testing::relay_hooks(door).when(testing::direction::to_server, keep_path,
                                                   testing::reaction::cut_before);
  auto waiting = lock.acquire(30s, asio::use_future);
  cut.wait();
  BOOST_TEST_REQUIRE(sent == name);
  door.refuse();
  testing::raw_client other(shared_server().direct_address());
  const auto foreign = other.create(name, "mine", testing::create_mode::ephemeral_sequential);
  door.heal();

  held = get(waiting);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(held.node() != foreign);
  BOOST_TEST(stat_of(witness, held.node()).ephemeral_owner == zk.session_id());
  other.close();
  get(held.release(asio::use_future));
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
