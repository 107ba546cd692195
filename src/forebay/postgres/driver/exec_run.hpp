// ExecRun: one Statement with its parameters, to the end of its answer.
//
// SQL is sent as it is, unless the connection has it prepared, or it is time to. A statement is
// prepared first where the server does not have it yet (mostly a PipelineRun does that, in one
// round trip), and again, once, where the server has lost it (26000) or its plan has become wrong
// (0A000: a column has changed its type), if no transaction was hurt by that.
//
// A prepared statement that leaves nothing in its session goes by a Dialogue, if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/postgres/driver/dialogue.hpp"
#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/driver/statement_cache.hpp"
#include "forebay/postgres/sql/statement.hpp"

namespace forebay::postgres {

class ExecRun final : public StartedStep {
 public:
  // REQUIRES: all of them outlive the run. The dialogue may be null.
  ExecRun(pg_conn* connection, Dialogue* dialogue, StatementCache& cache,
          const Statement& statement, const Parameters& parameters)
      : connection_(connection),
        dialogue_(dialogue),
        cache_(cache),
        known_(cache.use(statement.sql())),
        statement_(statement),
        parameters_(parameters) {}

  wire::Leftovers leftovers() const { return known_.reading.leftovers; }
  // It is prepared now, and that can be done on the way (PipelineRun). REQUIRES: not started.
  bool can_prepare_on_the_way() const { return must_prepare() && known_.reading.is_single; }
  Result<void> start() override;
  Need advance() override;
  Result<QueryResult> take();  // REQUIRES: advance() returned nothing

 private:
  enum class Phase : std::uint8_t { plain, preparing, executing, talking };

  bool must_prepare() const;
  bool can_talk() const;
  Result<void> send(Phase phase);
  Result<void> talk();
  LibpqStep& work();
  Result<QueryResult> take_answer();
  std::optional<Phase> next_phase(const Result<QueryResult>& answer);  // nothing: it is over

  pg_conn* connection_;
  Dialogue* dialogue_;
  StatementCache& cache_;
  StatementCache::Known& known_;
  const Statement& statement_;
  const Parameters& parameters_;
  const AnswerShape* shape_before_ = nullptr;  // to be compared, and nothing else
  Phase phase_ = Phase::plain;
  std::string name_;  // while it is being prepared
  bool was_prepared_here_ = false;
  std::optional<StatementRun> run_;
  std::optional<Result<QueryResult>> answer_;
};

}  // namespace forebay::postgres
