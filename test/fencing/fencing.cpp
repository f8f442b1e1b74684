// Storage that checks fencing tokens: the database of the guide, and those of two examples. A
// holder that has read loses its lock in a pause, and writes between the read and the write of the
// next.
#include "examples/guide/fencing/sqlite.hpp"
#include "examples/key_value_server/store.hpp"
#include "examples/ticket_server/stock.hpp"
#include "support/scene.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

// The next holder gets the lock, and the first holder does not notice.
struct late_holder : two_clients {
  testing::temporary_directory folder;
  hold first;
  hold second;

  asio::awaitable<void> acquire_first() {
    first = co_await mutex(zk, path).acquire(10s, asio::use_awaitable);
  }

  asio::awaitable<void> acquire_second() {
    mutex theirs(other, path);
    co_await theirs.break_lock(asio::use_awaitable);
    second = co_await theirs.acquire(10s, asio::use_awaitable);
  }
};

// A table whose token is checked and raised by writes alone.
class checked_by_writes {
 public:
  explicit checked_by_writes(const std::string& file) {
    BOOST_REQUIRE(sqlite3_open(file.c_str(), &connection_) == SQLITE_OK);
    run(make_table);
  }
  ~checked_by_writes() { sqlite3_close(connection_); }
  checked_by_writes(const checked_by_writes&) = delete;
  checked_by_writes& operator=(const checked_by_writes&) = delete;

  int read() { return run("SELECT amount FROM stock"); }

  bool write(int amount, fencing_token token) {
    run("INSERT INTO stock VALUES ('tickets', " + std::to_string(amount) + ", '" +
        token.to_string() +
        "') ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, token = excluded.token"
        " WHERE stock.token <= excluded.token");
    return sqlite3_changes(connection_) == 1;
  }

 private:
  // Returns the number in the first row.
  int run(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    BOOST_REQUIRE(sqlite3_prepare_v2(connection_, text.c_str(), -1, &statement, nullptr) ==
                  SQLITE_OK);
    const int result = sqlite3_step(statement);
    const int number = result == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    BOOST_REQUIRE((result == SQLITE_ROW || result == SQLITE_DONE));
    return number;
  }

  sqlite3* connection_ = nullptr;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(fencing, late_holder, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(update_is_kept_where_the_token_is_presented_before_the_read) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto file = (folder.path() / "stock").string();
    sqlite of_first(file);
    sqlite of_second(file);
    co_await acquire_first();
    BOOST_TEST((of_first.read("tickets", first.token()) == 0));
    BOOST_TEST(of_first.write("tickets", 100, first.token()));
    co_await acquire_second();
    BOOST_TEST((of_second.read("tickets", second.token()) == 100));
    BOOST_TEST(!of_first.write("tickets", 99, first.token()));
    BOOST_TEST(of_second.write("tickets", 99, second.token()));
    BOOST_TEST(!of_first.read("tickets", first.token()));
    BOOST_TEST((of_second.read("tickets", second.token()) == 99));
  });
}

BOOST_AUTO_TEST_CASE(write_of_a_token_that_was_not_presented_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    sqlite table((folder.path() / "stock").string());
    co_await acquire_first();
    BOOST_TEST(!table.write("tickets", 100, first.token()));
    table.read("tickets", first.token());
    co_await acquire_second();
    BOOST_TEST(!table.write("tickets", 100, second.token()));
  });
}

// Two sales, both acknowledged, and 99 of 100 are left: the reason for the order in the guide.
BOOST_AUTO_TEST_CASE(update_is_lost_where_only_writes_present_the_token) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto file = (folder.path() / "stock").string();
    checked_by_writes of_first(file);
    checked_by_writes of_second(file);
    co_await acquire_first();
    BOOST_TEST(of_first.write(100, first.token()));
    const int seen_by_first = of_first.read();
    co_await acquire_second();
    const int seen_by_second = of_second.read();
    BOOST_TEST(of_first.write(seen_by_first - 1, first.token()));
    BOOST_TEST(of_second.write(seen_by_second - 1, second.token()));
    BOOST_TEST(of_second.read() == 99);
  });
}

BOOST_AUTO_TEST_CASE(ticket_server_keeps_the_sale_of_the_next_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto file = (folder.path() / "tickets").string();
    stock of_first(file, 100);
    stock of_second(file, 100);
    co_await acquire_first();
    const auto early = co_await of_first.begin(first.token().to_string());
    co_await acquire_second();
    const auto late = co_await of_second.begin(second.token().to_string());
    sale refused{early.stock, early.left, first.token().to_string(), "the first"};
    BOOST_CHECK_THROW(co_await of_first.record(refused), stale_token);
    sale sold{late.stock, late.left, second.token().to_string(), "the second"};
    co_await of_second.record(sold);
    const auto figures = co_await of_first.figures();
    BOOST_TEST(figures.left == 99);
    BOOST_TEST(figures.sold == 1);
  });
}

BOOST_AUTO_TEST_CASE(key_value_server_keeps_the_value_of_the_next_holder) {
  run(io, [&]() -> asio::awaitable<void> {
    store of_first(folder.path());
    store of_second(folder.path());
    co_await acquire_first();
    BOOST_TEST(of_first.begin("tickets", first.token()));
    BOOST_TEST(of_first.write("tickets", "100", first.token()));
    BOOST_TEST(of_first.read("tickets") == "100");
    co_await acquire_second();
    BOOST_TEST(of_second.begin("tickets", second.token()));
    BOOST_TEST(of_second.read("tickets") == "100");
    BOOST_TEST(!of_first.write("tickets", "99", first.token()));
    BOOST_TEST(of_second.read("tickets") == "100");
    BOOST_TEST(of_second.write("tickets", "98", second.token()));
    BOOST_TEST(!of_first.begin("tickets", first.token()));
    BOOST_TEST(of_first.read("tickets") == "98");
  });
}

BOOST_AUTO_TEST_SUITE_END()
