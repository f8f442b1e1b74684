#pragma once

#include <zklock/fencing_token.hpp>

#include <optional>
#include <string>

// SQLite and PostgreSQL share the statements. SQLite numbers the values in the order in which they
// stand.

inline constexpr const char* make_table = R"(
  CREATE TABLE IF NOT EXISTS stock (
    item TEXT PRIMARY KEY, amount INTEGER NOT NULL, token TEXT NOT NULL)
)";

// A single statement raises the token and reads: no write of an earlier holder comes in between.
inline constexpr const char* raise_and_read = R"(
  INSERT INTO stock (item, amount, token) VALUES ($1, 0, $2)
  ON CONFLICT (item) DO UPDATE SET token = excluded.token
  WHERE stock.token <= excluded.token
  RETURNING amount
)";

// A single statement checks the token and writes.
inline constexpr const char* write_if_newest = R"(
  UPDATE stock SET amount = $1 WHERE item = $2 AND token = $3
)";

/// A table of amounts that refuses the holders of a lock whose fencing token is not the highest.
class storage {
 public:
  storage() = default;
  virtual ~storage() = default;
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  // Presents the token, and returns the amount. From then on lower tokens are refused. Returns
  // nothing where a later holder has presented its token.
  virtual std::optional<int> read(const std::string& item, const zklock::fencing_token& token) = 0;

  // Writes after `read` with its token. Returns whether the amount was written. It is not
  // where a later holder has read.
  virtual bool write(const std::string& item, int amount, const zklock::fencing_token& token) = 0;
};
