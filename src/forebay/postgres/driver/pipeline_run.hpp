// PipelineRun: the statements of a Batch, perhaps with BEGIN before and COMMIT behind them, in one
// round trip: libpq's pipeline mode, entered at the start and left at the end.
//
//   ROLLBACK?  BEGIN?  { Parse with a name?  statement }…  COMMIT?  Sync
//
// After the first error the server runs nothing more until the Sync. Statements are handed to libpq
// a piece at a time, and answers are taken meanwhile: neither side waits for the other with full
// hands, and libpq's memory does not grow with the batch. What was not handed over when an error
// came is not sent.
//
// Statements are prepared on the way as in an ExecRun. One that the server has lost (26000), or
// whose plan has become wrong (0A000), has all of it sent again, once, if nothing before it could
// have stayed: then the transaction is one that began here, or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/driver/statement_cache.hpp"
#include "forebay/postgres/sql/batch.hpp"

namespace forebay::postgres {

// What stands around the statements.
struct PipelineFrame {
  PipelineFrame(std::string begin_statement, bool has_commit)
      : begin(std::move(begin_statement)), commits(has_commit) {}
  std::string begin;  // empty: there is none
  bool commits;
  bool is_guarded = true;  // texts that would break the frame are refused
};

class PipelineRun final : public StartedStep {
 public:
  // REQUIRES: all but the frame outlive the run.
  PipelineRun(pg_conn* connection, StatementCache& cache, const Batch& batch, PipelineFrame frame);

  // Each text is surely one statement, and no COPY.
  bool can_travel() const { return can_travel_; }
  wire::Leftovers leftovers() const { return leftovers_; }
  Result<void> start() override;
  Need advance() override;

  // REQUIRES of all: advance() returned nothing.
  Result<std::vector<QueryResult>> take();  // one of each statement
  bool has_begun() const { return has_begun_; }
  std::optional<std::size_t> failed_entry() const { return failed_entry_; }  // that of the error
  // Pipeline mode was left. If not, the connection must not be used again.
  bool is_settled() const { return is_settled_; }

 private:
  enum class Kind : std::uint8_t { roll_back, begin, prepare, run_prepared, run, commit, sync };
  struct Step {
    explicit Step(Kind step_kind, std::size_t of_entry = 0, std::string under_name = "")
        : kind(step_kind), entry(of_entry), name(std::move(under_name)) {}
    Kind kind;
    std::size_t entry;  // of the batch
    std::string name;   // of the prepared statement
    bool is_done = false;
  };

  Result<void> check_entry(std::size_t index);
  void plan(bool is_again);
  void plan_entry(std::size_t index);
  void drop_unsent_steps();
  void forget_unprepared(const Step& step);
  Result<void> send(const Step& step);
  void hand_on();
  void collect();
  void note_answer(ResultHandle result);
  void note_failure(const Step& step, const pg_result* result);
  void finish_step();
  void settle();
  bool can_repeat() const;
  void give_up(Error error);

  pg_conn* connection_;
  StatementCache& cache_;
  const Batch& batch_;
  const PipelineFrame frame_;
  const Parameters none_;
  wire::Leftovers leftovers_;
  bool can_travel_ = true;
  std::optional<Error> refusal_;  // of the batch as it is

  std::vector<Step> steps_;
  std::size_t handed_ = 0;     // steps that libpq has
  std::size_t answered_ = 0;   // and those whose answers are complete
  std::size_t unflushed_ = 0;  // bytes since libpq was last asked to send
  bool is_unsent_ = false;     // libpq has more than the socket takes
  bool must_read_ = false;
  bool is_over_ = false;
  bool is_settled_ = false;
  bool is_second_try_ = false;
  bool has_begun_ = false;
  std::optional<std::size_t> failed_entry_;
  bool has_failed_stale_ = false;  // because of what the server had prepared before
  std::optional<Error> first_error_;
  std::vector<QueryResult> answers_;
};

}  // namespace forebay::postgres
