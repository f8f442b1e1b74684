#pragma once

#include "storage.hpp"

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// A connection to a database of PostgreSQL.
class postgresql : public storage {
 public:
  explicit postgresql(const std::string& address)
      : connection_(PQconnectdb(address.c_str()), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    run(make_table, {});
    // Tokens sort as bytes, in a database of any language.
    run("ALTER TABLE stock ALTER COLUMN token TYPE TEXT COLLATE \"C\"", {});
  }

  std::optional<int> read(const std::string& item, const zklock::fencing_token& token) override {
    const auto result = run(raise_and_read, {item, token.to_string()});
    if (PQntuples(result.get()) == 0) return std::nullopt;
    return std::stoi(PQgetvalue(result.get(), 0, 0));
  }

  bool write(const std::string& item, int amount, const zklock::fencing_token& token) override {
    const auto result = run(write_if_newest, {std::to_string(amount), item, token.to_string()});
    return std::string(PQcmdTuples(result.get())) == "1";
  }

 private:
  using result_pointer = std::unique_ptr<PGresult, decltype(&PQclear)>;

  result_pointer run(const char* statement, const std::vector<std::string>& values) {
    std::vector<const char*> texts;
    for (const auto& value : values)
      texts.push_back(value.c_str());
    result_pointer result(PQexecParams(connection_.get(), statement, static_cast<int>(texts.size()),
                                       nullptr, texts.data(), nullptr, nullptr, 0),
                          PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    return result;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};
