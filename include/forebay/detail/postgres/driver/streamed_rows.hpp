// StreamedRows: the rows of one statement that is under way, as text; RowStream makes C++ values of
// them. StreamLimit: how long it may take.
//
// Move-only, and confined to the user of its session, who may change from a task to a thread
// between two rows. While it lives and is not at its end, its session does nothing else and is not
// given back. Let go before its end, it drops what has come already. If that was not all, the
// session's next statement reads on, as long as that is not much; and when it is given back, the
// statement is cancelled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "forebay/env/task.hpp"
#include "forebay/env/until.hpp"
#include "forebay/postgres/sql/query_result.hpp"

namespace forebay::postgres {

class PooledSession;

// All of it, or each wait for the server. A stop may be asked for on any thread.
class StreamLimit {
 public:
  // The reader's own time counts, too.
  explicit StreamLimit(Until whole, std::stop_token stop = {})
      : whole_(whole.traced({})), each_wait_(Duration::max()), stop_(std::move(stop)) {}
  explicit StreamLimit(Duration each_wait) : whole_(kNever), each_wait_(each_wait) {}

  // Of a wait that begins now.
  Until wait_from(Instant now) const {
    return Until(deadline_after(now, each_wait_)).within(whole_);
  }
  bool is_stopped() const { return stop_.stop_requested() || whole_.is_cancelled(); }
  bool has_passed(Instant now) const { return now >= whole_.deadline(); }
  const std::stop_token& stop() const { return stop_; }

 private:
  Until whole_;
  Duration each_wait_;
  std::stop_token stop_;  // of nobody, mostly
};

class [[nodiscard]] StreamedRows {
 public:
  class State;
  explicit StreamedRows(std::unique_ptr<State> state);
  StreamedRows(StreamedRows&&) noexcept;
  StreamedRows& operator=(StreamedRows&&) noexcept;
  ~StreamedRows();

  // True: row() is the next one. False: that was the last. An error comes once, and is the end.
  // Nothing: it has to be waited for.
  std::optional<Result<bool>> try_next();
  // REQUIRES of both: try_next() gave nothing.
  Task<Result<bool>> wait();
  Result<bool> wait_blocking();

  // The latest row, as a result of one. Before the first try_next() it shows the columns.
  const QueryResult& row() const;
  std::uint64_t rows() const;  // so far

  // Its reader wants no more of it, because of that.
  void abandon(const Error& why);
  // The rest is read and dropped.
  Task<Result<void>> close();
  Result<void> close_blocking();

  // It is on loan for this alone, and goes back with the last row. REQUIRES: it is the session that
  // the rows come from.
  void keep(PooledSession session);

 private:
  State& state() const;
  std::unique_ptr<State> state_;  // null: moved away
};

}  // namespace forebay::postgres
