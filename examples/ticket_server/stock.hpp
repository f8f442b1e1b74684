#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// A ticket that was sold.
struct sale {
  int ticket = 0;
  std::string token;
  std::string buyer;
};

/// What a database says after the sale.
struct ledger {
  int left = 0;
  /// In the order in which they were recorded.
  std::vector<sale> sales;
};

/// The tickets that are left and the sales, in an SQLite database that several processes share.
///
/// SQLite blocks: while the disk works, and while another process writes. The thread that runs a
/// lock's client must never be kept waiting like that: it could not tell the servers in time that
/// its session is alive, and the holds would become doubtful. So SQLite has a thread of its own
/// here, and the coroutine that has asked goes on, on its own executor, when the answer is there.
class stock {
 public:
  /// Opens the database; creates it, with this many tickets, where there is none.
  stock(const std::string& file, int tickets);
  ~stock();

  /// Returns how many tickets are left.
  boost::asio::awaitable<int> left();

  /// Writes how many tickets are left, then the sale. These are two statements, as the reading was
  /// a third, and no transaction holds them together: that is left to the lock.
  boost::asio::awaitable<void> record(int left, sale sold);

  /// Returns all that is in a database, to be checked. Blocks.
  static ledger read(const std::string& file);

 private:
  class database;

  boost::asio::awaitable<int> on_worker(std::function<int()> work);

  std::unique_ptr<database> database_;
  boost::asio::thread_pool worker_{1};
};
