// ExecRun: one Statement with its parameters, to the end of its answer.
//
// SQL is sent as it is. A prepared statement is prepared first where the connection does not have
// it yet, and again, once, where the server has lost it ("does not exist", 26000) and no
// transaction was hurt by that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "forebay/postgres/libpq_step.hpp"
#include "forebay/postgres/statement.hpp"

namespace forebay::postgres {

// What a connection has prepared: names and their SQL.
using PreparedNames = std::map<std::string, std::string, std::less<>>;

class ExecRun final : public StartedStep {
 public:
  // REQUIRES: all of them outlive the run.
  ExecRun(pg_conn* connection, PreparedNames& prepared, const Statement& statement,
          const Parameters& parameters)
      : connection_(connection),
        prepared_(prepared),
        statement_(statement),
        parameters_(parameters) {}

  Result<void> start() override;
  Need advance() override;
  Result<QueryResult> take();  // REQUIRES: advance() returned nothing

 private:
  enum class Phase : std::uint8_t { plain, preparing, executing };

  Result<void> send(Phase phase);
  std::optional<Phase> next_phase(const Result<QueryResult>& answer);  // nothing: it is over

  pg_conn* connection_;
  PreparedNames& prepared_;
  const Statement& statement_;
  const Parameters& parameters_;
  Phase phase_ = Phase::plain;
  bool was_prepared_here_ = false;
  std::optional<StatementRun> run_;
  std::optional<Result<QueryResult>> answer_;
};

}  // namespace forebay::postgres
