#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// A write is refused: a holder with a higher fencing token has used the stock meanwhile.
class stale_token : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The tickets that are left when a sale begins.
struct offer {
  /// The stock that they are of.
  int stock = 0;
  int left = 0;
};

/// A sold ticket.
struct sale {
  int stock = 0;
  int ticket = 0;
  std::string token;
  std::string buyer;
};

/// The numbers of the newest stock.
struct stock_figures {
  int stock = 0;
  int tickets = 0;
  int left = 0;
  int sold = 0;
};

/// The contents of a database after the sale.
struct ledger {
  int left = 0;
  /// In the order of recording.
  std::vector<sale> sales;
};

/// The remaining tickets and the sales, in an SQLite database that several processes share.
///
/// It refuses a late write, by a holder that was paused until a later holder used the stock. It
/// keeps the highest fencing token, and compares. An empty token stands for a sale without a lock,
/// which is never refused.
///
/// SQLite blocks on the disk and on other processes that write. The thread that runs a lock's
/// client must not block: it could not keep its session alive, and the holds would be in doubt. So
/// SQLite runs on a thread of its own. The calling coroutine resumes on its own executor with the
/// result.
class stock {
 public:
  /// Opens the database. Creates it with this many tickets if it does not exist.
  stock(const std::string& file, int tickets);
  ~stock();

  /// Begins a sale: returns the newest stock, and from then on refuses lower tokens. Throws
  /// `stale_token` if the token is too low.
  boost::asio::awaitable<offer> begin(std::string token);

  /// Ends a sale: writes the number of remaining tickets and the sale. Throws `stale_token` if its
  /// token is too low. `begin` and `record` share no SQLite transaction: the lock makes them a
  /// single step.
  boost::asio::awaitable<void> record(sale sold);

  /// Adds a new stock. Sales that have begun belong to the former stock.
  boost::asio::awaitable<void> renew(int tickets);

  /// Returns the numbers of the newest stock.
  boost::asio::awaitable<stock_figures> figures();

  /// Returns the contents of a database. Blocks.
  static ledger read(const std::string& file);

 private:
  class database;

  boost::asio::awaitable<void> on_worker(std::function<void()> work);

  std::unique_ptr<database> database_;
  boost::asio::thread_pool worker_{1};
};
