#pragma once

#include "storage.hpp"

#include <sqlite3.h>

#include <optional>
#include <stdexcept>
#include <string>

/// A connection to a file of SQLite.
class sqlite : public storage {
 public:
  explicit sqlite(const std::string& file) {
    check(sqlite3_open(file.c_str(), &connection_));
    check(sqlite3_busy_timeout(connection_, 5000));
    check(sqlite3_exec(connection_, make_table, nullptr, nullptr, nullptr));
    check(sqlite3_prepare_v2(connection_, raise_and_read, -1, &read_, nullptr));
    check(sqlite3_prepare_v2(connection_, write_if_newest, -1, &write_, nullptr));
  }

  ~sqlite() override {
    sqlite3_finalize(read_);
    sqlite3_finalize(write_);
    sqlite3_close(connection_);
  }

  std::optional<int> read(const std::string& item, const zklock::fencing_token& token) override {
    bind(read_, 1, item, token);
    std::optional<int> amount;
    int result = sqlite3_step(read_);
    if (result == SQLITE_ROW) {
      amount = sqlite3_column_int(read_, 0);
      // The statement is committed when there is no further row.
      result = sqlite3_step(read_);
    }
    check(result);
    return amount;
  }

  bool write(const std::string& item, int amount, const zklock::fencing_token& token) override {
    bind(write_, 2, item, token);
    check(sqlite3_bind_int(write_, 1, amount));
    check(sqlite3_step(write_));
    return sqlite3_changes(connection_) == 1;
  }

 private:
  void bind(sqlite3_stmt* statement, int first, const std::string& item,
            const zklock::fencing_token& token) {
    check(sqlite3_reset(statement));
    check(sqlite3_bind_text(statement, first, item.c_str(), -1, SQLITE_TRANSIENT));
    check(sqlite3_bind_text(statement, first + 1, token.to_string().c_str(), -1, SQLITE_TRANSIENT));
  }

  void check(int result) const {
    if (result != SQLITE_OK && result != SQLITE_DONE)
      throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(connection_));
  }

  sqlite3* connection_ = nullptr;
  sqlite3_stmt* read_ = nullptr;
  sqlite3_stmt* write_ = nullptr;
};
