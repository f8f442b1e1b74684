// A client uses a path as a single kind of lock at a time.
#include "support/scene.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

using maker = std::function<any_lock(const client&, const std::string& path)>;

any_lock make_mutex(const client& zk, const std::string& path) {
  return mutex(zk, path);
}

any_lock make_writer(const client& zk, const std::string& path) {
  return shared_mutex(zk, path);
}

any_lock make_semaphore(const client& zk, const std::string& path) {
  return semaphore(zk, path, 2);
}

any_lock make_larger_semaphore(const client& zk, const std::string& path) {
  return semaphore(zk, path, 3);
}

struct one_path : two_clients {
  /// Neither lock can be acquired while its counterpart is held. Both can once that is idle,
  /// although the client still remembers it.
  asio::awaitable<void> exclude(any_lock one, any_lock another) {
    for (int i = 0; i < 2; ++i) {
      hold held = co_await one.acquire(10s, asio::use_awaitable);
      BOOST_TEST(held.owns_lock());
      const auto [waited, none] = co_await another.acquire(10s, as_result);
      BOOST_TEST((waited == errc::lock_type_mismatch));
      const auto [tried, nothing] = co_await another.try_acquire(as_result);
      BOOST_TEST((tried == errc::lock_type_mismatch));
      co_await held.release(asio::use_awaitable);
      std::swap(one, another);
    }
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(one_kind, one_path, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(second_kind_of_lock_on_a_path_is_refused) {
  const std::vector<maker> kinds{make_mutex, make_writer, make_semaphore, make_larger_semaphore};
  run(io, [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      for (std::size_t j = i + 1; j < kinds.size(); ++j)
        co_await exclude(kinds[i](zk, path), kinds[j](zk, path));
  });
}

BOOST_AUTO_TEST_CASE(lock_on_a_directory_of_a_semaphore_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto* const directory : {"/locks", "/leases"}) {
      co_await exclude(make_semaphore(zk, path), make_mutex(zk, path + directory));
      co_await exclude(make_semaphore(zk, path), make_writer(zk, path + directory));
    }
  });
}

BOOST_AUTO_TEST_CASE(locks_with_nodes_in_different_directories_are_held_together) {
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<hold> held;
    for (any_lock each : {make_semaphore(zk, path), make_semaphore(zk, path + "/locks"),
                          make_mutex(zk, path + "/other"), make_mutex(zk, path + "/locks/below"),
                          make_mutex(zk, path + "/locks/locks/below")}) {
      held.push_back(co_await each.acquire(10s, asio::use_awaitable));
      BOOST_TEST(held.back().owns_lock());
    }
  });
}

// Each client guards only the paths that it uses itself.
BOOST_AUTO_TEST_CASE(waiter_keeps_its_path_for_its_kind_of_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex theirs(other, path);
    hold taken = co_await theirs.acquire(10s, asio::use_awaitable);
    std::optional<hold> waited;
    any_lock ours = make_mutex(zk, path);
    ours.acquire(30s, [&](error_code, hold got) { waited = std::move(got); });
    co_await wait_for_entries(witness, path, 2);
    any_lock many = make_semaphore(zk, path);
    const auto [error, none] = co_await many.acquire(10s, as_result);
    BOOST_TEST((error == errc::lock_type_mismatch));
    co_await taken.release(asio::use_awaitable);
    const auto had_it = [&] { return waited.has_value(); };
    co_await eventually(had_it);
    co_await waited->release(asio::use_awaitable);
    const hold held = co_await many.acquire(10s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()
