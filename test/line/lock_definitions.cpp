// The definitions that the lock objects of a client share.

#include "client/lock_definitions.hpp"

#include "client/lock_line.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(lock_definitions, *boost::unit_test::timeout(30))

namespace {

using detail::lock_kind;
using definition = std::shared_ptr<const detail::lock_definition>;

struct shared_definitions {
  definition share(const std::string& path, lock_kind kind = lock_kind::exclusive) {
    return all.share(detail::lock_definitions::name_of(path, kind), [&] {
      ++made;
      return detail::make_lock_definition({}, path, kind);
    });
  }

  detail::lock_definitions all;
  int made = 0;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(objects_of_a_lock_share_the_line_of_its_acquisitions, shared_definitions) {
  const auto first = share("/a");
  const auto second = share("/a");
  BOOST_TEST(first == second);
  BOOST_TEST(made == 1);
  BOOST_TEST(first->acquisitions != nullptr);
}

BOOST_FIXTURE_TEST_CASE(locks_of_another_path_or_kind_have_another_line, shared_definitions) {
  const auto mutex = share("/a");
  BOOST_TEST(share("/b")->acquisitions != mutex->acquisitions);
  BOOST_TEST(share("/a", lock_kind::shared)->acquisitions != mutex->acquisitions);
}

BOOST_AUTO_TEST_CASE(limits_of_a_semaphore_are_part_of_its_name) {
  using all = detail::lock_definitions;
  const auto told = all::name_of("/a", lock_kind::semaphore, 3);
  BOOST_TEST(told != all::name_of("/a", lock_kind::semaphore, 4));
  BOOST_TEST(told != all::name_of("/a", lock_kind::semaphore, {}, "/3"));
  BOOST_TEST(told != all::name_of("/a3", lock_kind::semaphore));
}

BOOST_FIXTURE_TEST_CASE(definition_goes_with_the_last_object, shared_definitions) {
  share("/a");
  BOOST_TEST(all.all().empty());
  const auto again = share("/a");
  BOOST_TEST(made == 2);
  BOOST_REQUIRE(all.all().size() == 1U);
  BOOST_TEST(all.all().front() == again);
}

BOOST_AUTO_TEST_CASE(threads_that_come_and_go_share_one_definition) {
  detail::lock_definitions all;
  const auto use = [&all] {
    for (int i = 0; i < 2000; ++i) {
      const auto name = detail::lock_definitions::name_of("/a", lock_kind::exclusive);
      const auto make = [] { return detail::make_lock_definition({}, "/a"); };
      const auto first = all.share(name, make);
      if (all.share(name, make) != first) std::terminate();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(use);
  for (auto& each : threads)
    each.join();
  BOOST_TEST(all.all().empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
