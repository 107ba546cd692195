// Connections that are cut at the worst moments: what run_transaction reports agrees with what the
// table says, and nothing is ever applied twice.
#include "integration/transaction_fixture.hpp"
#include "support/fault_proxy.hpp"

namespace forebay::test {
namespace {

class TransactionFaultTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    proxy = std::make_unique<FaultProxy>(server->port());
    auto opened = PostgresPool::open(runtime, proxy->conninfo("app"), of_size(2));
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    pool = std::move(*opened);
  }

  // Each run has a counter of its own, which says how often it was applied.
  Result<void> add_to_new_counter(const TransactionOptions& settings) {
    const int id = ++last_id;
    EXPECT_TRUE(ask("INSERT INTO counter VALUES (" + std::to_string(id) + ", 0)").has_value());
    return run_transaction_blocking(
        *pool, settings, [id](Transaction& transaction) { return add_one(transaction, id); });
  }
  int applied() { return counter(last_id); }

  void expect_unknown(Fault fault, int times_applied) {
    proxy->fail_next_commit(fault);
    const Result<void> done = add_to_new_counter(options("unknown"));

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), Errc::unknown_outcome) << done.error().text();
    EXPECT_EQ(applied(), times_applied);
    EXPECT_EQ(proxy->faults(), 1);
    EXPECT_EQ(counted("unknown").attempts, 1u);
    EXPECT_EQ(counted("unknown").errors_of(ErrorClass::unknown_outcome), 1u);
    EXPECT_GE(pool->statistics().counters.discarded(DiscardReason::broken), 1u);

    // The pool gets over it.
    const Result<void> next = add_to_new_counter(options("next"));
    EXPECT_TRUE(next.has_value()) << next.error().text();
    EXPECT_EQ(applied(), 1);
  }

  std::unique_ptr<FaultProxy> proxy;
  std::unique_ptr<PostgresPool> pool;  // gone before the proxy
  int last_id = 0;
};

TEST_F(TransactionFaultTest, CommitThatNeverArrivedIsUnknown) {
  expect_unknown(Fault::cut_before, 0);
}

TEST_F(TransactionFaultTest, CommitWithoutItsAnswerIsUnknown) {
  expect_unknown(Fault::cut_after, 1);
}

TEST_F(TransactionFaultTest, CommitBeyondTheDeadlineIsUnknown) {
  proxy->fail_next_commit(Fault::hold_answers);
  TransactionOptions settings = options("late");
  settings.timeout = 5s;  // all but the COMMIT takes milliseconds

  const Result<void> done = add_to_new_counter(settings);

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::unknown_outcome) << done.error().text();
  EXPECT_EQ(applied(), 1);
}

TEST_F(TransactionFaultTest, AnIdempotentBodyIsRunAgain) {
  TransactionOptions settings = options("idempotent");
  settings.is_idempotent = true;
  ASSERT_TRUE(ask("INSERT INTO counter VALUES (1, 0)").has_value());
  for (const Fault fault : {Fault::cut_before, Fault::cut_after}) {
    proxy->fail_next_commit(fault);
    const Result<void> done =
        run_transaction_blocking(*pool, settings, [](Transaction& transaction) {
          return transaction.exec_exactly_blocking(1, "UPDATE counter SET value = 1");
        });
    EXPECT_TRUE(done.has_value()) << done.error().text();
    EXPECT_EQ(counter(1), 1);
  }
  EXPECT_EQ(counted("idempotent").errors_of(ErrorClass::unknown_outcome), 2u);
  EXPECT_EQ(counted("idempotent").attempts, 4u);
}

TEST_F(TransactionFaultTest, WhatOnlyReadHasNoUnknownOutcome) {
  TransactionOptions settings = options("read");
  settings.is_read_only = true;
  proxy->fail_next_commit(Fault::cut_after);

  const Result<int> seen = run_transaction_blocking(*pool, settings, [](Transaction& transaction) {
    return transaction.query_one_blocking<int>("SELECT 7");
  });

  ASSERT_TRUE(seen.has_value()) << seen.error().text();
  EXPECT_EQ(*seen, 7);
  EXPECT_EQ(counted("read").errors_of(ErrorClass::connection_lost), 1u);
}

// BEGIN, the parts of an UPDATE with parameters, COMMIT, and what the pool says in between.
constexpr int kMessages = 12;

TEST_F(TransactionFaultTest, FaultsAtEveryMessageLeaveTheBooksInAgreement) {
  int unknown = 0;
  int clean = 0;
  for (const int retries : {0, 10}) {
    TransactionOptions settings = options("every");
    settings.policy.max_retries = retries;
    for (const Fault fault : {Fault::cut_before, Fault::cut_after}) {
      for (int message = 1; message <= kMessages; ++message) {
        proxy->fail_message(message, fault);
        const Result<void> done = add_to_new_counter(settings);
        proxy->set_judge({});

        const int times = applied();
        const std::string where =
            fmt::format("message {}, fault {}, {} retries: {}", message, static_cast<int>(fault),
                        retries, done ? "ok" : done.error().text());
        ASSERT_LE(times, 1) << where;
        if (done) {
          EXPECT_EQ(times, 1) << where;
        } else if (done.error().code() == Errc::unknown_outcome) {
          ++unknown;
        } else {
          ++clean;
          EXPECT_EQ(times, 0) << where;
          EXPECT_EQ(done.error().code(), Errc::connection_lost) << where;
          EXPECT_EQ(retries, 0) << where;
        }
      }
    }
  }
  EXPECT_GT(unknown, 0);
  EXPECT_GT(clean, 0);
}

// A load, and every so often a cut: the sum of what was reported is the sum of what is there.
TEST_F(TransactionFaultTest, UnderLoadNothingIsAppliedTwice) {
  constexpr int kRuns = kIsSanitized ? 60 : 300;
  constexpr int kThreads = 4;
  PoolSize size;
  size.max = kThreads;
  ASSERT_TRUE(pool->resize(size).has_value());
  add_counters(kRuns);
  proxy->set_judge([count = 0](const ClientMessage&) mutable {
    ++count;
    return count % 37 != 0 ? Fault::none : count % 2 == 0 ? Fault::cut_before : Fault::cut_after;
  });
  std::vector<Errc> outcomes(kRuns + 1, Errc::closed);  // closed stands for success
  std::atomic<int> next = 1;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int id = next++; id <= kRuns; id = next++) {
          const Result<void> done = run_transaction_blocking(
              *pool, options("load"),
              [id](Transaction& transaction) { return add_one(transaction, id); });
          if (!done) outcomes[static_cast<std::size_t>(id)] = done.error().code();
        }
      });
    }
  }
  proxy->set_judge({});
  const Result<QueryResult> counters = ask("SELECT id, value FROM counter");
  ASSERT_TRUE(counters.has_value()) << counters.error().text();
  const auto rows = counters->all<int, int>();
  ASSERT_TRUE(rows.has_value()) << rows.error().text();
  for (const auto& [id, times] : *rows) {
    const Errc outcome = outcomes[static_cast<std::size_t>(id)];
    if (outcome == Errc::unknown_outcome) {
      EXPECT_LE(times, 1) << id;
    } else {
      EXPECT_EQ(outcome, Errc::closed) << id << ": " << name(outcome);
      EXPECT_EQ(times, 1) << id;
    }
  }
  EXPECT_GT(proxy->faults(), 0);
}

}  // namespace
}  // namespace forebay::test
