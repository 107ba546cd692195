// Connections that are cut at the worst moments: what run_transaction reports agrees with what the
// table says, and nothing is ever applied twice.
#include <array>

#include "integration/transaction_fixture.hpp"
#include "support/fault_proxy.hpp"

namespace forebay::test {
namespace {

class TransactionFaultTest : public TransactionFixture {
 protected:
  // The same change in each of the ways in which BEGIN and COMMIT can travel.
  using Adder = Result<void> (*)(Transaction&, int id);

  static Result<void> look_then_add_and_commit(Transaction& transaction, int id) {
    const auto seen = transaction.query_one_blocking<int>("SELECT value FROM counter WHERE id = $1",
                                                          parameters(id));
    return seen ? add_one_and_commit(transaction, id) : failure(seen.error());
  }
  static Result<void> add_in_a_batch(Transaction& transaction, int id) {
    postgres::Batch batch;
    batch.add("SELECT 1").add(kAddOne, parameters(id)).add("SELECT 2");
    const auto done = transaction.exec_batch_and_commit_blocking(batch);
    return done ? Result<void>() : failure(done.error());
  }
  static constexpr std::array<Adder, 4> kAdders{&add_one, &add_one_and_commit,
                                                &look_then_add_and_commit, &add_in_a_batch};
  // A statement is four messages, and one more if it is prepared; a pipeline ends with a Sync; and
  // there is what the pool says in between. So many are enough to cut each message of each adder.
  static constexpr std::array<int, kAdders.size()> kMessages{12, 14, 16, 22};

  void SetUp() override {
    TransactionFixture::SetUp();
    proxy = std::make_unique<FaultProxy>(server->port());
    auto opened = PostgresPool::open(runtime, proxy->conninfo("app"), of_size(2));
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    pool = std::move(*opened);
  }

  // Each run has a counter of its own, which says how often it was applied.
  Result<void> add_to_new_counter(const TransactionOptions& settings, Adder add = &add_one) {
    const int id = ++last_id;
    EXPECT_TRUE(ask("INSERT INTO counter VALUES (" + std::to_string(id) + ", 0)").has_value());
    return run_transaction_blocking(
        *pool, settings, [id, add](Transaction& transaction) { return add(transaction, id); });
  }
  int applied() { return counter(last_id); }

  void expect_unknown(Fault fault, int times_applied) {
    for (const Adder add : kAdders) expect_unknown(fault, times_applied, add);
  }
  void expect_unknown(Fault fault, int times_applied, Adder add) {
    const std::string operation = fmt::format("unknown {}", ++unknowns);
    proxy->fail_next_commit(fault);
    const Result<void> done = add_to_new_counter(options(operation), add);

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), Errc::unknown_outcome) << done.error().text();
    EXPECT_EQ(applied(), times_applied);
    EXPECT_EQ(proxy->faults(), unknowns);
    EXPECT_EQ(counted(operation).attempts, 1u);
    EXPECT_EQ(counted(operation).errors_of(ErrorClass::unknown_outcome), 1u);
    EXPECT_GE(pool->statistics().counters.discarded(DiscardReason::broken),
              static_cast<std::uint64_t>(unknowns));

    // The pool gets over it.
    const Result<void> next = add_to_new_counter(options("next"));
    EXPECT_TRUE(next.has_value()) << next.error().text();
    EXPECT_EQ(applied(), 1);
  }

  std::unique_ptr<FaultProxy> proxy;
  std::unique_ptr<PostgresPool> pool;  // gone before the proxy
  int last_id = 0;
  int unknowns = 0;
};

TEST_F(TransactionFaultTest, CommitThatNeverArrivedIsUnknown) {
  expect_unknown(Fault::cut_before, 0);
}

TEST_F(TransactionFaultTest, CommitWithoutItsAnswerIsUnknown) {
  expect_unknown(Fault::cut_after, 1);
}

TEST_F(TransactionFaultTest, CommitBeyondTheDeadlineIsUnknown) {
  TransactionOptions settings = options("late");
  settings.timeout = 5s;  // all but the COMMIT takes milliseconds
  for (const Adder add : {&add_one, &add_one_and_commit}) {
    proxy->fail_next_commit(Fault::hold_answers);

    const Result<void> done = add_to_new_counter(settings, add);

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), Errc::unknown_outcome) << done.error().text();
    EXPECT_EQ(applied(), 1);
  }
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

TEST_F(TransactionFaultTest, FaultsAtEveryMessageLeaveTheBooksInAgreement) {
  for (std::size_t adder = 0; adder < kAdders.size(); ++adder) {
    int unknown = 0;
    int clean = 0;
    for (const int retries : {0, 10}) {
      TransactionOptions settings = options("every");
      settings.policy.max_retries = retries;
      for (const Fault fault : {Fault::cut_before, Fault::cut_after}) {
        for (int message = 1; message <= kMessages[adder]; ++message) {
          proxy->fail_message(message, fault);
          const Result<void> done = add_to_new_counter(settings, kAdders[adder]);
          proxy->set_judge({});

          const int times = applied();
          const std::string where =
              fmt::format("adder {}, message {}, fault {}, {} retries: {}", adder, message,
                          static_cast<int>(fault), retries, done ? "ok" : done.error().text());
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
    EXPECT_GT(unknown, 0) << adder;
    // With COMMIT on its way from the start, nothing that is cut is certain.
    const bool is_all_at_once =
        kAdders[adder] == &add_one_and_commit || kAdders[adder] == &add_in_a_batch;
    EXPECT_EQ(clean > 0, !is_all_at_once) << adder;
  }
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
          const Result<void> done =
              run_transaction_blocking(*pool, options("load"), [id](Transaction& transaction) {
                return kAdders[static_cast<std::size_t>(id) % kAdders.size()](transaction, id);
              });
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
