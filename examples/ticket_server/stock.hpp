#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// A sold ticket.
struct sale {
  int ticket = 0;
  std::string token;
  std::string buyer;
};

/// The contents of a database after the sale.
struct ledger {
  int left = 0;
  /// In the order of recording.
  std::vector<sale> sales;
};

/// The remaining tickets and the sales, in an SQLite database that several processes share.
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

  /// Returns the number of remaining tickets.
  boost::asio::awaitable<int> left();

  /// Writes the number of remaining tickets, then the sale. `left` and these two statements share
  /// no SQLite transaction: the lock makes them one step.
  boost::asio::awaitable<void> record(int left, sale sold);

  /// Returns the contents of a database. Blocks.
  static ledger read(const std::string& file);

 private:
  class database;

  boost::asio::awaitable<int> on_worker(std::function<int()> work);

  std::unique_ptr<database> database_;
  boost::asio::thread_pool worker_{1};
};
