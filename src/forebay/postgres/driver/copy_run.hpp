// CopyIn and CopyOut: COPY … FROM STDIN and COPY … TO STDOUT as streams, a piece at a time.
//
// Neither holds more of the stream than a few pieces: a source is asked for more only when
// the socket has taken what came before, and a sink is given what has arrived before more is read.
// A source or sink that refuses ends the COPY, and copying fails with its error: rows sent so far
// are dropped by the server; rows that a sink does not want are still read, to the end, because
// nothing else ends them without another connection. The connection stays usable.
//
// A source's mistake that the server notices early is told only when the source has ended: libpq
// shows no error before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/env/scheduler.hpp"
#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/sql/copy_stream.hpp"

namespace forebay::postgres {

// A point in time, and the clock that tells whether it has come.
class Deadline {
 public:
  // REQUIRES: the scheduler outlives it.
  Deadline(const Scheduler& scheduler, Instant at) : scheduler_(scheduler), at_(at) {}
  bool has_passed() const { return scheduler_.now() >= at_; }

 private:
  const Scheduler& scheduler_;
  Instant at_;
};

// What both have in common: how a COPY begins and ends.
class CopyRun : public StartedStep {
 public:
  Result<void> start() override;
  Need advance() override;
  Result<std::uint64_t> take();  // rows copied. REQUIRES: advance() returned nothing
  bool is_refused() const { return refusal_.has_value(); }  // by the source or the sink

 protected:
  // REQUIRES: the SQL outlives the run.
  CopyRun(pg_conn* connection, const std::string& sql)
      : connection_(connection), sql_(sql), run_(std::in_place, connection) {}

  virtual bool has_begun(const QueryResult& answer) const = 0;
  virtual std::string_view wanted() const = 0;  // "COPY … FROM STDIN"
  virtual Need move_data() = 0;                 // nothing: this part is done

  pg_conn* connection() const { return connection_; }
  void refuse(Error error) { refusal_ = std::move(error); }

 private:
  enum class Phase : std::uint8_t { beginning, moving, ending, draining, over };

  Need work();
  void judge_beginning();
  void judge_ending();
  void drain_as(Error error);
  void finish(Result<std::uint64_t> outcome);

  pg_conn* connection_;
  const std::string& sql_;
  Phase phase_ = Phase::beginning;
  std::optional<StatementRun> run_;
  std::optional<LeftoverDrain> drain_;
  std::optional<Error> refusal_;  // what the source or the sink said
  Result<std::uint64_t> outcome_;
};

class CopyIn final : public CopyRun {
 public:
  CopyIn(pg_conn* connection, const std::string& sql, const CopySource& source, Deadline deadline)
      : CopyRun(connection, sql), source_(source), deadline_(deadline) {}

 private:
  bool has_begun(const QueryResult& answer) const override { return answer.is_copy_in(); }
  std::string_view wanted() const override { return "COPY … FROM STDIN"; }
  Need move_data() override;
  bool fill();
  bool send_piece();
  Need end();

  const CopySource& source_;
  const Deadline deadline_;
  std::string chunk_;
  std::size_t sent_ = 0;  // of the chunk
  bool is_source_at_end_ = false;
  bool is_cut_ = false;  // libpq takes no more: the results say why
};

class CopyOut final : public CopyRun {
 public:
  CopyOut(pg_conn* connection, const std::string& sql, const CopySink& sink)
      : CopyRun(connection, sql), sink_(sink) {}

 private:
  bool has_begun(const QueryResult& answer) const override { return answer.is_copy_out(); }
  std::string_view wanted() const override { return "COPY … TO STDOUT"; }
  Need move_data() override;

  const CopySink& sink_;
  bool must_read_ = false;
};

}  // namespace forebay::postgres
