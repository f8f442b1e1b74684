// Two databases that refuse a write with a fencing token lower than the highest that they have
// seen: SQLite, and PostgreSQL where its connection string is given.
//
//   fencing [HOST:PORT[,HOST:PORT]...] [POSTGRESQL]
//
// A holder loses its lock without noticing, as a paused process does. Its write comes after that of
// the next holder, and is refused.

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <libpq-fe.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr const char* make_table = R"(
  CREATE TABLE stock (item TEXT PRIMARY KEY, amount INTEGER NOT NULL, token TEXT NOT NULL)
)";

// One statement checks the token and writes: nothing comes in between.
constexpr const char* write_if_newest = R"(
  INSERT INTO stock (item, amount, token) VALUES ($1, $2, $3)
  ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, token = excluded.token
  WHERE stock.token <= excluded.token
)";

class storage {
 public:
  storage() = default;
  virtual ~storage() = default;
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  // Returns whether the amount was written. It is not where a later holder has written.
  virtual bool write(const std::string& item, int amount, const zklock::fencing_token& token) = 0;
};

class sqlite : public storage {
 public:
  explicit sqlite(const std::string& file) {
    check(sqlite3_open(file.c_str(), &connection_));
    check(sqlite3_exec(connection_, make_table, nullptr, nullptr, nullptr));
    check(sqlite3_prepare_v2(connection_, write_if_newest, -1, &write_, nullptr));
  }

  ~sqlite() override {
    sqlite3_finalize(write_);
    sqlite3_close(connection_);
  }

  bool write(const std::string& item, int amount, const zklock::fencing_token& token) override {
    const std::string text = token.to_string();
    check(sqlite3_reset(write_));
    check(sqlite3_bind_text(write_, 1, item.c_str(), -1, SQLITE_TRANSIENT));
    check(sqlite3_bind_int(write_, 2, amount));
    check(sqlite3_bind_text(write_, 3, text.c_str(), -1, SQLITE_TRANSIENT));
    check(sqlite3_step(write_));
    return sqlite3_changes(connection_) == 1;
  }

 private:
  void check(int result) const {
    if (result != SQLITE_OK && result != SQLITE_DONE)
      throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(connection_));
  }

  sqlite3* connection_ = nullptr;
  sqlite3_stmt* write_ = nullptr;
};

class postgresql : public storage {
 public:
  explicit postgresql(const std::string& address)
      : connection_(PQconnectdb(address.c_str()), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    run(make_table, {});
    // Tokens sort as bytes, whatever the language of the database is.
    run("ALTER TABLE stock ALTER COLUMN token TYPE TEXT COLLATE \"C\"", {});
  }

  bool write(const std::string& item, int amount, const zklock::fencing_token& token) override {
    const auto result = run(write_if_newest, {item, std::to_string(amount), token.to_string()});
    return std::string(PQcmdTuples(result.get())) == "1";
  }

 private:
  using result_pointer = std::unique_ptr<PGresult, decltype(&PQclear)>;

  result_pointer run(const char* statement, const std::array<std::string, 3>& values) {
    const std::array texts{values[0].c_str(), values[1].c_str(), values[2].c_str()};
    const int count = values[0].empty() ? 0 : static_cast<int>(texts.size());
    result_pointer result(PQexecParams(connection_.get(), statement, count, nullptr, texts.data(),
                                       nullptr, nullptr, 0),
                          PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    return result;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

void expect(bool met, const std::string& what) {
  std::cout << "  " << what << (met ? "" : ": NO") << std::endl;
  if (!met) throw std::runtime_error("it is not so: " + what);
}

asio::awaitable<void> lose_and_write(zklock::client& early, zklock::client& late, storage& stock) {
  zklock::mutex lock(early, "/locks/stock");
  zklock::mutex same(late, "/locks/stock");

  zklock::hold first = co_await lock.acquire(30s);
  expect(stock.write("tickets", 100, first.token()), "the holder writes");
  expect(stock.write("tickets", 99, first.token()), "the holder writes again");

  // The lock goes to another holder, as when the session of the first one expires in a pause.
  co_await same.break_lock();
  zklock::hold second = co_await same.acquire(30s);
  expect(stock.write("tickets", 98, second.token()), "the next holder writes");

  expect(!stock.write("tickets", 99, first.token()), "the write of the first one is refused");
  co_await second.release();
}

asio::awaitable<void> use_each(zklock::client& early, zklock::client& late, std::string address) {
  std::cout << "SQLite" << std::endl;
  sqlite file(":memory:");
  co_await lose_and_write(early, late, file);
  if (!address.empty()) {
    std::cout << "PostgreSQL" << std::endl;
    postgresql database(address);
    co_await lose_and_write(early, late, database);
  }
}

asio::awaitable<void> run(zklock::client& early, zklock::client& late, std::string address) {
  std::exception_ptr failure;
  try {
    co_await use_each(early, late, std::move(address));
  } catch (...) {
    failure = std::current_exception();
  }
  co_await early.close();
  co_await late.close();
  if (failure) std::rethrow_exception(failure);
}

} // namespace

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  zklock::client early(io, {.servers = servers});
  zklock::client late(io, {.servers = servers});
  asio::co_spawn(io, run(early, late, argc > 2 ? argv[2] : ""), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "fencing: " << error.what() << std::endl;
  return 1;
}
