// StreamRun: one Statement whose rows are taken one at a time (libpq's single-row mode), as work
// that a coroutine or a blocked thread drives. AbandonedRows: the end of one whose reader has left.
//
// advance() gives nothing when the next row is there, or when it is over. What has come from the
// socket is used up before more is read, so libpq holds a buffer and a row, however many there are;
// a reader who does not ask reads nothing, and the server waits.
//
// It is always one statement, in the extended protocol, prepared as in an ExecRun. A server that
// has lost what was prepared says so before the first row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/driver/statement_cache.hpp"
#include "forebay/postgres/sql/statement.hpp"

namespace forebay::postgres {

class StreamRun final : public StartedStep {
 public:
  // REQUIRES: all of them outlive the run.
  StreamRun(pg_conn* connection, StatementCache& cache, const Statement& statement,
            const Parameters& parameters)
      : connection_(connection),
        cache_(cache),
        known_(cache.use(statement.sql())),
        statement_(statement),
        parameters_(parameters) {}

  wire::Leftovers leftovers() const { return known_.reading.leftovers; }
  Result<void> start() override;
  Need advance() override;

  // REQUIRES of all: advance() returned nothing.
  bool is_over() const { return is_over_; }
  // The row that advance() has brought; when it is over, and it was no failure, an answer without
  // rows.
  const QueryResult& row() const { return *row_; }
  std::uint64_t rows() const { return rows_; }  // so far, with that one
  const std::optional<Error>& error() const { return error_; }

 private:
  enum class Phase : std::uint8_t { preparing, rows, draining };

  Result<void> send(Phase phase);
  Need prepare();
  Need take_row();
  bool keep(ResultHandle result);  // true: it is a row
  void refuse_copy();
  void end_rows();
  bool must_prepare_again();

  pg_conn* connection_;
  StatementCache& cache_;
  StatementCache::Known& known_;
  const Statement& statement_;
  const Parameters& parameters_;
  Phase phase_ = Phase::rows;
  std::string name_;  // while it is being prepared
  bool was_prepared_here_ = false;
  std::optional<StatementRun> sending_;  // until it is answered, if it is to be prepared
  std::optional<LeftoverDrain> drain_;
  bool is_sent_ = false;
  bool must_read_ = false;
  bool is_over_ = false;
  std::optional<QueryResult> row_;
  std::uint64_t rows_ = 0;
  std::optional<Error> error_;
};

// Reads the rest of the rows and drops them, up to so many bytes.
class AbandonedRows final : public LibpqStep {
 public:
  AbandonedRows(pg_conn* connection, std::size_t most_bytes)
      : connection_(connection), most_bytes_(most_bytes) {}
  Need advance() override;
  // As far as that needs no waiting.
  void take_what_is_here();

  bool is_at_end() const { return is_at_end_; }
  const std::optional<Error>& error() const { return error_; }  // what the statement ended with

 private:
  pg_conn* connection_;
  const std::size_t most_bytes_;
  std::size_t dropped_bytes_ = 0;
  bool must_read_ = false;
  bool is_at_end_ = false;
  std::optional<Error> error_;
};

}  // namespace forebay::postgres
