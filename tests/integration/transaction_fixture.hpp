// What the tests of transactions share: a server with a table of counters, a pool on it, and
// options that count what happens.
#pragma once

#include <string>
#include <utility>

#include "integration/pool_fixture.hpp"

namespace forebay::test {

using postgres::Isolation;
using postgres::Parameters;
using postgres::parameters;
using postgres::run_transaction;
using postgres::run_transaction_blocking;
using postgres::Transaction;
using postgres::TransactionOptions;

inline constexpr const char* kAddOne = "UPDATE counter SET value = value + 1 WHERE id = $1";

class TransactionFixture : public PoolFixture {
 protected:
  static PoolOptions of_size(int max) {
    PoolOptions options;
    options.size.max = max;
    return options;
  }
  void SetUp() override {
    launch({});
    ASSERT_TRUE(ask("CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL)").has_value());
    ASSERT_TRUE(ask("GRANT ALL ON counter TO app").has_value());
  }
  void add_counters(int count) {
    ASSERT_TRUE(ask("INSERT INTO counter SELECT i, 0 FROM generate_series(1, " +
                    std::to_string(count) + ") i")
                    .has_value());
  }
  int counter(int id) {
    return number(ask("SELECT value FROM counter WHERE id = " + std::to_string(id)));
  }

  // Retries soon, and for as long as it takes.
  TransactionOptions options(std::string operation) {
    TransactionOptions options(std::move(operation));
    options.policy.max_retries = 10'000;
    options.policy.backoff = BackoffRule{1ms, 50ms, 50};
    options.timeout = 120s;
    options.metrics = &metrics;
    return options;
  }
  OperationSnapshot counted(std::string_view operation) const {
    return metrics.snapshot(operation).value_or(OperationSnapshot());
  }

  // Adds one to a counter in a single statement.
  static Result<void> add_one(Transaction& transaction, int id) {
    return transaction.exec_exactly_blocking(1, kAddOne, parameters(id));
  }
  // The same, with COMMIT on its way.
  static Result<void> add_one_and_commit(Transaction& transaction, int id) {
    const auto done = transaction.exec_and_commit_blocking(kAddOne, parameters(id));
    return done ? Result<void>() : failure(done.error());
  }

  TransactionMetrics metrics;
};

}  // namespace forebay::test
