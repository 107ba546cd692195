// StatementErrand: one statement of a thread, in a session that is acquired for it.
//
// Where the thread has to stand in line, the statement is sent by whoever hands the session over,
// if all is known of it that this needs, and the thread is woken by its answer. Confined to its
// thread but for begin().
#pragma once

#include <optional>
#include <source_location>

#include "forebay/pool/errand.hpp"
#include "forebay/postgres/driver/exec_run.hpp"
#include "forebay/postgres/transaction/session_source.hpp"

namespace forebay::postgres {

class StatementErrand final : private Errand {
 public:
  // REQUIRES: both outlive it.
  StatementErrand(const Statement& statement, const Parameters& parameters, Instant patience_end,
                  const std::source_location& caller)
      : Errand(patience_end, caller),
        statement_(statement),
        parameters_(parameters),
        deadline_(patience_end) {}

  // Errors are those of acquiring, and of LibpqConnection::exec_blocking().
  Result<QueryResult> run(Pool& pool, const Observation& observation, const Scheduler& scheduler);

 private:
  int begin(Connection& connection) noexcept override;

  const Statement& statement_;
  const Parameters& parameters_;
  const Instant deadline_;
  std::optional<ExecRun> begun_;
  Need need_ = Need::nothing;  // of the one that was begun
};

}  // namespace forebay::postgres
