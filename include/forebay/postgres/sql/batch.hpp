// Batch: statements that travel together: sent without waiting for each other's answers, and
// answered in their order, all in one round trip.
//
//   Batch batch;
//   for (const Line& line : lines)
//     batch.add("INSERT INTO line VALUES ($1, $2)", parameters(line.id, line.text));
//   Result<std::vector<QueryResult>> answers = session->exec_batch_blocking(batch, 5s);
//
// All or nothing: after the first that fails the server runs none of the rest. Outside of a
// transaction what the ones before it did is rolled back; inside, the transaction has failed. The
// error tells which one it was.
//
// One statement a text. No COPY, no empty text, and no BEGIN, COMMIT or ROLLBACK: those are
// Errc::invalid, and nothing is sent. Statements that run outside of any transaction (VACUUM,
// CREATE DATABASE) are not for batches.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/statement.hpp"

namespace forebay::postgres {

class Batch {
 public:
  struct Entry {
    Entry(Statement what, Parameters values)
        : statement(std::move(what)), parameters(std::move(values)) {}
    Statement statement;
    Parameters parameters;
  };

  Batch& add(Statement statement, Parameters parameters = Parameters()) {
    entries_.emplace_back(std::move(statement), std::move(parameters));
    return *this;
  }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace forebay::postgres
