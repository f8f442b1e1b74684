// The executor on which a client does its work.
#include "zookeeper/strand.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using zklock::zookeeper::strand;

namespace {

asio::any_io_executor erased(asio::io_context& io) {
  return io.get_executor();
}

/// Destroys each function, as executors do once their context is being destroyed.
struct dropping_executor {
  asio::execution_context& query(asio::execution::context_t) const noexcept { return *context; }
  dropping_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
  template <class Function>
  void execute(Function&& function) const {
    const std::decay_t<Function> dropped(std::forward<Function>(function));
  }
  bool operator==(const dropping_executor&) const noexcept = default;

  asio::execution_context* context;
};

} // namespace

BOOST_AUTO_TEST_SUITE(strands, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(functions_run_in_order) {
  asio::io_context io{1};
  const strand one(erased(io));
  std::vector<int> order;
  // More tasks than a batch runs.
  for (int i = 0; i < 1000; ++i)
    asio::post(one, [&order, i] { order.push_back(i); });
  BOOST_TEST(order.empty());
  BOOST_TEST(io.run() > 1u);
  BOOST_TEST_REQUIRE(order.size() == 1000u);
  for (int i = 0; i < 1000; ++i)
    BOOST_TEST(order[static_cast<std::size_t>(i)] == i);
}

BOOST_AUTO_TEST_CASE(dispatched_function_runs_at_once_inside_its_strand) {
  asio::io_context io{1};
  const strand one(erased(io));
  const strand other(erased(io));
  BOOST_TEST(!one.running_in_this_thread());
  BOOST_TEST((one == strand(one)));
  BOOST_TEST((one != other));
  int steps = 0;
  asio::post(one, [&] {
    BOOST_TEST(one.running_in_this_thread());
    BOOST_TEST(!other.running_in_this_thread());
    asio::dispatch(one, [&] { ++steps; });
    BOOST_TEST(steps == 1);
    asio::post(one, [&] { ++steps; });
    BOOST_TEST(steps == 1);
    asio::dispatch(other, [&] {
      BOOST_TEST(one.running_in_this_thread());
      ++steps;
    });
    BOOST_TEST(steps == 2);
  });
  io.run();
  BOOST_TEST(steps == 3);
  // This thread does not run the context.
  io.restart();
  asio::dispatch(one, [&] { ++steps; });
  BOOST_TEST(steps == 3);
  io.run();
  BOOST_TEST(steps == 4);
}

BOOST_AUTO_TEST_CASE(functions_of_a_strand_never_overlap) {
  constexpr int count = 20'000;
  asio::thread_pool pool(4);
  const strand one{asio::any_io_executor(pool.get_executor())};
  std::atomic<int> running{0};
  std::atomic<int> overlaps{0};
  int done = 0;
  const auto work = [&] {
    if (running.fetch_add(1) != 0) ++overlaps;
    ++done;
    running.fetch_sub(1);
  };
  for (int i = 0; i < count; ++i)
    asio::post(pool, [&, i] {
      if (i % 2 == 0)
        asio::post(one, work);
      else
        asio::dispatch(one, work);
    });
  pool.join();
  BOOST_TEST(overlaps == 0);
  BOOST_TEST(done == count);
}

BOOST_AUTO_TEST_CASE(function_of_a_caller_runs_alone_at_once) {
  asio::io_context io{1};
  const strand one(erased(io));
  std::vector<int> order;
  asio::post(io, [&] {
    one.execute_alone([&] {
      BOOST_TEST(one.running_alone());
      asio::post(one, [&] {
        BOOST_TEST(!one.running_alone());
        order.push_back(3);
      });
      asio::dispatch(one, [&] { order.push_back(1); });
    });
    order.push_back(2);
    // The strand is busy now.
    one.execute_alone([&] {
      BOOST_TEST(!one.running_alone());
      order.push_back(4);
    });
    BOOST_TEST(order.size() == 2u);
  });
  io.run();
  BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
  // Outside a handler of the executor nothing runs at once.
  one.execute_alone([&] { order.push_back(5); });
  BOOST_TEST(order.size() == 4u);
}

BOOST_AUTO_TEST_CASE(exception_leaves_run_and_later_functions_still_run) {
  asio::io_context io{1};
  const strand one(erased(io));
  int done = 0;
  for (int i = 0; i < 6; ++i)
    asio::post(one, [&done, i] {
      if (i % 2 == 0) throw std::runtime_error("as a handler may");
      ++done;
    });
  // Also where it runs at once.
  asio::post(io, [&] { asio::dispatch(one, [] { throw std::runtime_error("again"); }); });
  for (int thrown = 0; thrown < 4; ++thrown)
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
  io.run();
  BOOST_TEST(done == 3);
}

BOOST_AUTO_TEST_CASE(pending_functions_are_destroyed_with_the_context) {
  std::optional<asio::io_context> io(std::in_place, 1);
  const strand one(erased(*io));
  const auto token = std::make_shared<int>(0);
  // The function keeps the strand alive, too.
  for (int i = 0; i < 3; ++i)
    asio::post(one, [token, one] { BOOST_ERROR("nothing runs it"); });
  BOOST_TEST(token.use_count() == 4);
  io.reset();
  BOOST_TEST(token.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(functions_are_destroyed_with_their_submission) {
  asio::io_context io{1};
  const strand one(asio::any_io_executor(dropping_executor{&io}));
  const auto token = std::make_shared<int>(0);
  // The function keeps the strand alive, too.
  for (int i = 0; i < 3; ++i)
    asio::post(one, [token, one] { BOOST_ERROR("nothing runs it"); });
  BOOST_TEST(token.use_count() == 1);
}

// A call of the reactor is a posted function that dispatches to the strand of the reactor's object.

BOOST_AUTO_TEST_CASE(last_function_runs_outside_the_strand_at_the_end_of_a_call_of_the_reactor) {
  asio::io_context io{1};
  const strand one(erased(io));
  std::vector<int> order;
  const auto note = [&order, one](int step) {
    return [&order, one, step] {
      BOOST_TEST(!one.running_in_this_thread());
      order.push_back(step);
    };
  };
  using noted = decltype(note(0));
  asio::post(io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<noted>(one.get_inner_executor(), note(3)));
      asio::post(one, [&] { order.push_back(2); });
      // There is a last function already.
      BOOST_TEST(!strand::run_last<noted>(one.get_inner_executor(), note(0)));
      order.push_back(1);
    });
    order.push_back(4);
  });
  BOOST_TEST(io.run() == 1u);
  BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_runs_last_but_in_a_call_of_the_reactor) {
  asio::io_context io{1};
  asio::io_context elsewhere;
  const strand one(erased(io));
  const auto fail = [] { BOOST_ERROR("it must not run"); };
  using failing = decltype(fail);
  const auto& home = one.get_inner_executor();
  BOOST_TEST(!strand::run_last<failing>(home, fail));
  asio::post(one, [&] { BOOST_TEST(!strand::run_last<failing>(home, fail)); });
  asio::post(io, [&] {
    asio::dispatch(one, [&] { BOOST_TEST(!strand::run_last<failing>(home, fail)); });
    one.execute_alone([&] { BOOST_TEST(!strand::run_last<failing>(home, fail)); });
    asio::dispatch(one.of_reactor(), [&] {
      const strand other(erased(elsewhere));
      BOOST_TEST(!strand::run_last<failing>(other.get_inner_executor(), fail));
      // As a function that the program calls on the strand of another client.
      const strand beside(erased(io));
      beside.execute_alone([&] { BOOST_TEST(!strand::run_last<failing>(home, fail)); });
    });
  });
  io.run();
}

BOOST_AUTO_TEST_CASE(function_after_the_last_runs_on_the_strand) {
  asio::io_context io{1};
  const strand one(erased(io));
  std::vector<int> order;
  const auto after = [&] {
    BOOST_TEST(one.running_in_this_thread());
    order.push_back(3);
  };
  const auto last = [&] {
    order.push_back(1);
    BOOST_TEST(one.run_after_last(after));
    // There is a function after the last already.
    BOOST_TEST(!one.run_after_last(after));
    order.push_back(2);
  };
  BOOST_TEST(!one.run_after_last(after));
  asio::post(io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<decltype(last)>(one.get_inner_executor(), last));
      BOOST_TEST(!one.run_after_last(after));
    });
    BOOST_TEST(!one.run_after_last(after));
    order.push_back(4);
  });
  io.run();
  BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_runs_after_the_last_of_several) {
  asio::io_context io{1};
  const strand one(erased(io));
  int steps = 0;
  const auto last = [&] {
    ++steps;
    BOOST_TEST(!one.run_after_last([] { BOOST_ERROR("it must not run"); }));
  };
  asio::post(io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<decltype(last)>(one.get_inner_executor(), last));
      BOOST_TEST(!strand::run_last<decltype(last)>(one.get_inner_executor(), last));
    });
  });
  io.run();
  BOOST_TEST(steps == 1);
}

BOOST_AUTO_TEST_CASE(last_functions_run_after_exceptions_too) {
  asio::io_context io{1};
  const strand one(erased(io));
  int steps = 0;
  const auto last = [&] { ++steps; };
  asio::post(io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<decltype(last)>(one.get_inner_executor(), last));
      throw std::runtime_error("as a function may");
    });
  });
  BOOST_CHECK_THROW(io.run(), std::runtime_error);
  BOOST_TEST(steps == 0);
  io.run();
  BOOST_TEST(steps == 1);

  const auto throwing = [&] {
    BOOST_TEST(one.run_after_last([&] { ++steps; }));
    throw std::runtime_error("as a handler may");
  };
  io.restart();
  asio::post(io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<decltype(throwing)>(one.get_inner_executor(), throwing));
    });
  });
  BOOST_CHECK_THROW(io.run(), std::runtime_error);
  BOOST_TEST(steps == 1);
  io.run();
  BOOST_TEST(steps == 2);
}

BOOST_AUTO_TEST_CASE(last_function_is_destroyed_with_the_context) {
  std::optional<asio::io_context> io(std::in_place, 1);
  const strand one(erased(*io));
  const auto token = std::make_shared<int>(0);
  const auto last = [token] { BOOST_ERROR("nothing runs it"); };
  asio::post(*io, [&] {
    asio::dispatch(one.of_reactor(), [&] {
      BOOST_TEST(strand::run_last<decltype(last)>(one.get_inner_executor(), last));
      throw std::runtime_error("as a function may");
    });
  });
  BOOST_CHECK_THROW(io->run(), std::runtime_error);
  BOOST_TEST(token.use_count() == 3);
  io.reset();
  BOOST_TEST(token.use_count() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
