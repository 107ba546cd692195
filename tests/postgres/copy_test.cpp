// COPY in both directions through a real server, in both forms: whole, refused half way, and late.
#include <malloc.h>

#include "forebay/postgres/sql/copy_text.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

using Account = std::tuple<int, std::optional<std::string>>;

const std::vector<Account> kAccounts{
    {1, "plain"}, {2, std::nullopt}, {3, "tab\there, line\nthere, \\N and \\."}, {4, ""}};

CopySource accounts_source() {
  return [next = std::size_t{0}](std::string& chunk) mutable -> Result<bool> {
    const auto& [id, name] = kAccounts[next];
    append_copy_row(chunk, id, name);
    return ++next < kAccounts.size();
  };
}

CopySink accounts_sink(std::vector<Account>& accounts) {
  return [&accounts](std::string_view line) -> Result<void> {
    Result<Account> account = parse_copy_row<int, std::optional<std::string>>(line);
    if (!account) return failure(account.error());
    accounts.push_back(std::move(*account));
    return {};
  };
}

// The numbers from 1 on, then what `last` says.
CopySource numbers(int count, Result<bool> last) {
  return [number = 0, count, last](std::string& chunk) mutable -> Result<bool> {
    if (number == count) return last;
    append_copy_row(chunk, ++number);
    return true;
  };
}

// How long a COPY may take in the tests that wait for its deadline.
constexpr Duration kShort = 100ms;

class CopyTest : public SessionTest {
 protected:
  void SetUp() override {
    run("CREATE TEMP TABLE account (id int, name text)");
    run("CREATE TEMP TABLE number (n int)");
  }
  // Both forms of one thing, with the same words.
  Result<std::uint64_t> copy_in(bool is_task, const std::string& sql, const CopySource& source,
                                Duration timeout = kPatience) {
    return is_task ? run(connection_->copy_in(sql, source, client_.in(timeout)))
                   : connection_->copy_in_blocking(sql, source, timeout);
  }
  Result<std::uint64_t> copy_out(bool is_task, const std::string& sql, const CopySink& sink,
                                 Duration timeout = kPatience) {
    return is_task ? run(connection_->copy_out(sql, sink, client_.in(timeout)))
                   : connection_->copy_out_blocking(sql, sink, timeout);
  }
};

// Each test is run once with a coroutine and once with a blocked thread.
class CopyFormsTest : public CopyTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Forms, CopyFormsTest, testing::Values(true, false),
                         [](const auto& param_info) {
                           return param_info.param ? "Task" : "Blocking";
                         });

const CopySink kDropRows = [](std::string_view) { return Result<void>(); };

TEST_P(CopyFormsTest, RowsComeBackAsTheyWent) {
  const auto in = copy_in(GetParam(), "COPY account FROM STDIN", accounts_source());
  std::vector<Account> accounts;
  const auto out = copy_out(GetParam(), "COPY (SELECT * FROM account ORDER BY id) TO STDOUT",
                            accounts_sink(accounts));

  ASSERT_TRUE(in && out) << error_of(in).text() << error_of(out).text();
  EXPECT_EQ(*in, kAccounts.size());
  EXPECT_EQ(*out, kAccounts.size());
  EXPECT_EQ(accounts, kAccounts);
  EXPECT_TRUE(connection_->needs_reset());
}

TEST_P(CopyFormsTest, ChunksNeedNotBeRows) {
  const std::string stream = "1,one\n2,\"two, too\"\n";
  const CopySource source = [&stream, at = std::size_t{0}](std::string& chunk) mutable {
    chunk += stream[at++];
    return Result<bool>(at < stream.size());
  };
  const CopySource nothing = [](std::string&) { return Result<bool>(false); };
  const CopySource big = [](std::string& chunk) {
    for (int number = 0; number < 100'000; ++number) append_copy_row(chunk, number);
    return Result<bool>(false);
  };

  EXPECT_EQ(copy_in(GetParam(), "COPY account FROM STDIN (FORMAT csv)", source).value(), 2u);
  EXPECT_EQ(ask("SELECT name FROM account WHERE id = 2"), "two, too");
  EXPECT_EQ(copy_in(GetParam(), "COPY number FROM STDIN", nothing).value(), 0u);
  EXPECT_EQ(copy_in(GetParam(), "COPY number FROM STDIN", big).value(), 100'000u);
  EXPECT_EQ(copy_out(GetParam(), "COPY number TO STDOUT", kDropRows).value(), 100'000u);
}

TEST_P(CopyFormsTest, ASourceThatRefusesLeavesNoRowsAndAUsableConnection) {
  const Result<bool> refusal = failure(Errc::connection_lost, "my own file is gone");

  const auto refused = copy_in(GetParam(), "COPY number FROM STDIN", numbers(100'000, refusal));

  EXPECT_EQ(error_of(refused).code(), Errc::connection_lost);
  EXPECT_EQ(error_of(refused).text(), "my own file is gone");
  EXPECT_TRUE(connection_->is_usable());
  EXPECT_EQ(ask("SELECT count(*) FROM number"), "0");
}

TEST_P(CopyFormsTest, ASinkThatRefusesLeavesAUsableConnection) {
  int rows = 0;
  const CopySink sink = [&rows](std::string_view) -> Result<void> {
    if (++rows == 10) return failure(Errc::invalid, "ten are enough");
    return {};
  };

  const auto refused =
      copy_out(GetParam(), "COPY (SELECT generate_series(1, 100000)) TO STDOUT", sink);

  EXPECT_EQ(error_of(refused).text(), "ten are enough");
  EXPECT_EQ(rows, 10);
  EXPECT_TRUE(connection_->is_usable());
  EXPECT_EQ(ask("SELECT 7"), "7");
}

TEST_P(CopyFormsTest, WhatTheServerRefusesIsToldAndLeavesAUsableConnection) {
  const CopySource words = [count = 0](std::string& chunk) mutable {
    append_copy_row(chunk, "not a number");
    return Result<bool>(++count < 100'000);
  };

  const auto bad_row = copy_in(GetParam(), "COPY number FROM STDIN", words);
  const auto no_table = copy_in(GetParam(), "COPY nowhere FROM STDIN", words);
  const auto late =
      copy_out(GetParam(), "COPY (SELECT 1 / (5000 - n) FROM generate_series(1, 9999) n) TO STDOUT",
               kDropRows);

  EXPECT_EQ(error_of(bad_row).sqlstate(), "22P02");
  EXPECT_EQ(error_of(no_table).sqlstate(), "42P01");
  EXPECT_EQ(error_of(late).sqlstate(), "22012");
  EXPECT_EQ(ask("SELECT 7"), "7");
}

TEST_P(CopyFormsTest, OtherStatementsAreRefused) {
  const auto in_for_out = copy_in(GetParam(), "COPY number TO STDOUT", numbers(3, false));
  const auto out_for_in = copy_out(GetParam(), "COPY number FROM STDIN", kDropRows);
  const auto select = copy_in(GetParam(), "SELECT 1", numbers(3, false));
  const auto two =
      copy_in(GetParam(), "COPY number FROM STDIN; COPY number FROM STDIN", numbers(3, false));

  EXPECT_EQ(error_of(in_for_out).text(),
            "COPY … FROM STDIN was expected, and the statement was another COPY");
  EXPECT_EQ(error_of(out_for_in).text(),
            "COPY … TO STDOUT was expected, and the statement was another COPY");
  EXPECT_EQ(error_of(select).text(),
            "COPY … FROM STDIN was expected, and the statement was no COPY");
  EXPECT_EQ(error_of(two).text(),
            "the COPY did not end: one COPY at a time, and nothing beside it");
  for (const auto& wrong : {in_for_out, out_for_in, select, two}) {
    EXPECT_EQ(error_of(wrong).code(), Errc::invalid);
  }
  EXPECT_EQ(ask("SELECT count(*) FROM number"), "0");

  const auto beside = copy_in(GetParam(), "COPY number FROM STDIN; SELECT 1, 2", numbers(3, false));
  EXPECT_EQ(error_of(beside).code(), Errc::invalid);
  EXPECT_EQ(
      error_of(beside).text(),
      "the answer to a COPY was \"SELECT 1\": one COPY at a time, and nothing beside it; what "
      "the statements did stays");
}

// The server says more than it reads, and goes on only if somebody listens.
TEST_P(CopyFormsTest, AServerThatSendsNoticesIsListenedTo) {
  static constexpr int kRows = 6000;
  run("CREATE FUNCTION pg_temp.talk() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE NOTICE '%', repeat('x', 8000); RETURN NEW; END $$");
  run("CREATE TRIGGER talk BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION pg_temp.talk()");
  const CopySource source = [row = 0, text = std::string(1000, 'y')](std::string& chunk) mutable {
    append_copy_row(chunk, ++row, text);
    return Result<bool>(row < kRows);
  };

  const auto rows = copy_in(GetParam(), "COPY account FROM STDIN", source);

  ASSERT_TRUE(rows) << error_of(rows).text();
  EXPECT_EQ(*rows, static_cast<std::uint64_t>(kRows));
}

TEST_P(CopyFormsTest, ASourceThatOnlyPromisesEndsAtItsDeadline) {
  const CopySource promising = [](std::string&) { return Result<bool>(true); };

  const auto late = copy_in(GetParam(), "COPY number FROM STDIN", promising, kShort);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
}

TEST_P(CopyFormsTest, ASourceThatHasNothingAtFirstIsAskedAgain) {
  const CopySource slow = [asked = 0](std::string& chunk) mutable {
    if (++asked % 2 == 0) append_copy_row(chunk, asked);
    return Result<bool>(asked < 10);
  };

  EXPECT_EQ(copy_in(GetParam(), "COPY number FROM STDIN", slow).value(), 5u);
}

TEST_P(CopyFormsTest, ASourceIsNotAskedAgainAfterTheDeadline) {
  int asked = 0;
  const Instant deadline = client_.in(kShort);
  const CopySource slow = [&](std::string& chunk) {
    ++asked;
    append_copy_row(chunk, asked);
    while (runtime_.scheduler().now() < deadline + kShort) {
    }
    return Result<bool>(true);
  };

  const auto late = copy_in(GetParam(), "COPY number FROM STDIN", slow, kShort);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_LE(asked, 1);  // none, if the machine was slow to begin
}

// What g++ 12 would destroy twice does not compile there, and the rest does.
using OwningFunction =
    decltype([text = std::string()](std::string&) { return Result<bool>(true); });
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
static_assert(!forebay::detail::SafeCallable<OwningFunction>);
#endif
static_assert(forebay::detail::SafeCallable<OwningFunction&>);

Task<Result<std::uint64_t>> copy_there_and_back(LibpqConnection& connection, Instant deadline) {
  const std::string row = "1\n";
  auto source = [row](std::string& chunk) {
    chunk += row;
    return Result<bool>(false);
  };
  const auto in = co_await connection.copy_in("COPY number FROM STDIN", source, deadline);
  if (!in) co_return failure(in.error());
  co_return co_await connection.copy_out("COPY number TO STDOUT", kDropRows, deadline);
}

TEST_F(CopyTest, FunctionsOfAnyTypeAreSourcesAndSinks) {
  EXPECT_EQ(run(copy_there_and_back(*connection_, soon())).value(), 1u);
}

// The server's trigger waits for a lock, so it reads nothing, and the source must not go on.
TEST_P(CopyFormsTest, ASourceWithoutEndWaitsForTheServerAndEndsAtItsDeadline) {
  static constexpr std::size_t kMostBuffered = 32 * 1024 * 1024;  // sockets may hold megabytes
  const auto holder = hold_lock();
  run("CREATE FUNCTION pg_temp.wait() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END'");
  run("CREATE TRIGGER wait BEFORE INSERT ON number FOR EACH ROW EXECUTE FUNCTION pg_temp.wait()");
  std::string rows;
  for (int number = 0; number < 100'000; ++number) append_copy_row(rows, number);
  std::size_t bytes = 0;
  const CopySource endless = [&](std::string& chunk) {
    chunk += rows;
    bytes += rows.size();
    return Result<bool>(true);
  };

  const auto late = copy_in(GetParam(), "COPY number FROM STDIN", endless, 3 * kShort);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
  EXPECT_LT(bytes, kMostBuffered);
  EXPECT_TRUE(holder->exec_blocking("SELECT pg_advisory_unlock_all()", kPatience));
}

TEST_P(CopyFormsTest, ASourceWithoutEndEndsAtItsDeadlineWithAnEagerServerToo) {
  const CopySource endless = [](std::string& chunk) {
    append_copy_row(chunk, 1);
    return Result<bool>(true);
  };

  const auto late = copy_in(GetParam(), "COPY number FROM STDIN", endless, kShort);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_P(CopyFormsTest, AnAnswerWithoutEndEndsAtItsDeadline) {
  const auto holder = hold_lock();

  const auto late = copy_out(
      GetParam(),
      "COPY (SELECT CASE WHEN n < 100 THEN n::text ELSE pg_advisory_xact_lock(7)::text END "
      "FROM generate_series(1, 200) n) TO STDOUT",
      kDropRows, kShort);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_P(CopyFormsTest, ADeadlineInThePastAsksTheSourceForNothing) {
  int asked = 0;
  const CopySource source = [&asked](std::string&) { return Result<bool>(++asked < 3); };

  const auto late = copy_in(GetParam(), "COPY number FROM STDIN", source, -1s);

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(connection_->is_usable());
}

// What malloc has given out, small blocks and big ones, which have a mapping each; nothing under
// sanitizers, which have their own.
std::size_t memory_in_use() {
  const auto figures = mallinfo2();
  return figures.uordblks + figures.hblkhd;
}

// 100 MB, or 20 MB for the slowest sanitizer: both are far more than a little.
#if defined(__SANITIZE_THREAD__)
constexpr std::int64_t kManyRows = 200'000;
#else
constexpr std::int64_t kManyRows = 1'000'000;
#endif

TEST_F(CopyTest, AMillionRowsPassThroughLittleMemory) {
  static constexpr std::size_t kLittle = 4 * 1024 * 1024;
  const std::string text(100, 'x');
  run("CREATE TEMP TABLE big (n int, body text)");
  const std::size_t before = memory_in_use();
  std::size_t most = before;
  int sent = 0;
  const CopySource source = [&](std::string& chunk) {
    append_copy_row(chunk, ++sent, text);
    if (sent % 1000 == 0) most = std::max(most, memory_in_use());
    return Result<bool>(sent < kManyRows);
  };
  int received = 0;
  const CopySink sink = [&](std::string_view) {
    if (++received % 1000 == 0) most = std::max(most, memory_in_use());
    return Result<void>();
  };

  const auto in = connection_->copy_in_blocking("COPY big FROM STDIN", source, 100s);
  const auto out = connection_->copy_out_blocking("COPY big TO STDOUT", sink, 100s);

  ASSERT_TRUE(in && out) << error_of(in).text() << error_of(out).text();
  EXPECT_EQ(*in, static_cast<std::uint64_t>(kManyRows));
  EXPECT_EQ(*out, static_cast<std::uint64_t>(kManyRows));
  EXPECT_EQ(received, kManyRows);
  EXPECT_LT(most - before, kLittle);
  EXPECT_EQ(ask("SELECT sum(n) FROM big"), std::to_string(kManyRows * (kManyRows + 1) / 2));
}

}  // namespace
}  // namespace forebay::postgres
