#include "stock.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sqlite3.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;

namespace {

[[noreturn]] void fail(sqlite3* connection, const std::string& action) {
  throw std::runtime_error(action + ": " + sqlite3_errmsg(connection));
}

/// A prepared statement. The destructor finalizes it: an open cursor keeps a read transaction open.
class statement {
 public:
  statement(sqlite3* connection, const std::string& text) : connection_(connection), text_(text) {
    if (sqlite3_prepare_v2(connection, text.c_str(), -1, &handle_, nullptr) != SQLITE_OK)
      fail(connection, text);
  }
  ~statement() { sqlite3_finalize(handle_); }
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  statement& bind(int index, int value) {
    if (sqlite3_bind_int(handle_, index, value) != SQLITE_OK) fail(connection_, text_);
    return *this;
  }
  statement& bind(int index, const std::string& value) {
    const auto size = static_cast<int>(value.size());
    if (sqlite3_bind_text(handle_, index, value.data(), size, SQLITE_TRANSIENT) != SQLITE_OK)
      fail(connection_, text_);
    return *this;
  }

  /// Steps to the next row. Returns false after the last row.
  bool step() {
    const int result = sqlite3_step(handle_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail(connection_, text_);
    return result == SQLITE_ROW;
  }

  int number(int column) { return sqlite3_column_int(handle_, column); }
  std::string text(int column) {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
  }

 private:
  sqlite3* connection_;
  std::string text_;
  sqlite3_stmt* handle_ = nullptr;
};

} // namespace

class stock::database {
 public:
  explicit database(const std::string& file) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int result = sqlite3_open_v2(file.c_str(), &connection_, flags, nullptr);
    if (result == SQLITE_OK) {
      // Other processes write too: waits for them instead of failing.
      sqlite3_busy_timeout(connection_, 5000);
      return;
    }
    const std::string why = sqlite3_errstr(result);
    sqlite3_close(connection_);
    throw std::runtime_error("cannot open the database " + file + ": " + why);
  }
  ~database() { sqlite3_close(connection_); }
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  statement prepare(const std::string& text) { return {connection_, text}; }
  void execute(const std::string& text) {
    if (sqlite3_exec(connection_, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      fail(connection_, text);
  }

  void create(int tickets) {
    // With a write-ahead log, readers and a writer do not wait for each other. With NORMAL, a crash
    // of the machine can lose the newest sales but does not corrupt the file.
    use_write_ahead_log();
    execute("PRAGMA synchronous = NORMAL");
    execute("BEGIN IMMEDIATE;"
            "CREATE TABLE IF NOT EXISTS stock(id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " tickets INTEGER NOT NULL, left INTEGER NOT NULL, token TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS sale(id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " stock INTEGER NOT NULL, ticket INTEGER NOT NULL, token TEXT NOT NULL,"
            " buyer TEXT NOT NULL)");
    if (!prepare("SELECT 1 FROM stock").step()) renew(tickets);
    execute("COMMIT");
  }

  // The new stock also refuses the tokens that the former stock refuses.
  void renew(int tickets) {
    prepare("INSERT INTO stock(tickets, left, token)"
            " SELECT ?1, ?1, coalesce(max(token), '') FROM stock")
        .bind(1, tickets)
        .step();
  }

  // A single statement: between a query and an update, a later holder could come.
  offer begin(const std::string& token) {
    auto update = prepare("UPDATE stock SET token = max(token, ?1)"
                          " WHERE id = (SELECT max(id) FROM stock) AND (token <= ?1 OR ?1 = '')"
                          " RETURNING id, left");
    if (!update.bind(1, token).step()) throw stale_token("a later holder uses the stock");
    const offer result{update.number(0), update.number(1)};
    // The statement takes effect when there is no further row.
    update.step();
    return result;
  }

  void record(const sale& sold) {
    execute("BEGIN IMMEDIATE");
    try {
      prepare("UPDATE stock SET left = ? WHERE id = ? AND (token <= ?3 OR ?3 = '')")
          .bind(1, sold.ticket - 1)
          .bind(2, sold.stock)
          .bind(3, sold.token)
          .step();
      if (sqlite3_changes(connection_) == 0) throw stale_token("a later holder uses the stock");
      prepare("INSERT INTO sale(stock, ticket, token, buyer) VALUES(?, ?, ?, ?)")
          .bind(1, sold.stock)
          .bind(2, sold.ticket)
          .bind(3, sold.token)
          .bind(4, sold.buyer)
          .step();
      execute("COMMIT");
    } catch (...) {
      sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  stock_figures figures() {
    auto query = prepare("SELECT id, tickets, left,"
                         " (SELECT count(*) FROM sale WHERE sale.stock = stock.id)"
                         " FROM stock ORDER BY id DESC LIMIT 1");
    if (!query.step()) throw std::runtime_error("the database has no stock");
    return {query.number(0), query.number(1), query.number(2), query.number(3)};
  }

 private:
  // The busy timeout does not cover this statement when another process runs it meanwhile.
  void use_write_ahead_log() {
    const char* const text = "PRAGMA journal_mode = WAL";
    int result = SQLITE_BUSY;
    for (int i = 0; i < 500 && result == SQLITE_BUSY; ++i) {
      if (i > 0) sqlite3_sleep(10);
      result = sqlite3_exec(connection_, text, nullptr, nullptr, nullptr);
    }
    if (result != SQLITE_OK) fail(connection_, text);
  }

  sqlite3* connection_ = nullptr;
};

stock::stock(const std::string& file, int tickets) : database_(std::make_unique<database>(file)) {
  database_->create(tickets);
}

stock::~stock() {
  worker_.join();
}

asio::awaitable<offer> stock::begin(std::string token) {
  offer result;
  const auto work = [this, &token, &result] { result = database_->begin(token); };
  co_await on_worker(work);
  co_return result;
}

asio::awaitable<void> stock::record(sale sold) {
  const auto work = [this, &sold] { database_->record(sold); };
  co_await on_worker(work);
}

asio::awaitable<void> stock::renew(int tickets) {
  const auto work = [this, tickets] { database_->renew(tickets); };
  co_await on_worker(work);
}

asio::awaitable<stock_figures> stock::figures() {
  stock_figures result;
  const auto work = [this, &result] { result = database_->figures(); };
  co_await on_worker(work);
  co_return result;
}

ledger stock::read(const std::string& file) {
  database from(file);
  ledger all;
  all.left = from.figures().left;
  auto query = from.prepare("SELECT stock, ticket, token, buyer FROM sale ORDER BY id");
  while (query.step())
    all.sales.push_back({query.number(0), query.number(1), query.text(2), query.text(3)});
  return all;
}

asio::awaitable<void> stock::on_worker(std::function<void()> work) {
  auto start = [](auto handler, asio::thread_pool* worker, std::function<void()> call) {
    // The coroutine resumes on its own executor, which must not run out of work before that.
    auto guard = asio::make_work_guard(asio::get_associated_executor(handler));
    asio::post(*worker, [guard = std::move(guard), handler = std::move(handler),
                         call = std::move(call)]() mutable {
      std::exception_ptr failure;
      try {
        call();
      } catch (...) {
        failure = std::current_exception();
      }
      auto finish = [handler = std::move(handler), failure]() mutable {
        std::move(handler)(failure);
      };
      asio::post(guard.get_executor(), std::move(finish));
    });
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      std::move(start), asio::use_awaitable, &worker_, std::move(work));
}
