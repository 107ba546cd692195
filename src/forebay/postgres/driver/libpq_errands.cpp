// LibpqConnection: what is begun by one thread and finished by another.
#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/exec_run.hpp"

namespace forebay::postgres {

// What has to be prepared first, takes more than one step, or is watched by an observer, who is to
// hear of it from its own thread, is left to that.
bool LibpqConnection::begin_for_other(std::optional<ExecRun>& run, const Statement& statement,
                                      const Parameters& parameters, Instant deadline) {
  if (parts_->observation.observer != nullptr) return false;
  if (is_begin_pending() || parts_->has_abandoned_rows) return false;
  if (!parts_->statements->is_ready(statement.sql()) || scheduler_.has_passed(deadline) ||
      !check_idle())
    return false;
  parts_->socket->unwatch();
  run.emplace(handle_.get(), dialogue(), *parts_->statements, statement, parameters);
  if (!run->start()) {
    run.reset();
    return false;
  }
  begin_use(run->leftovers());
  return true;
}

Result<QueryResult> LibpqConnection::finish_begun(ExecRun& run, Need need, Instant deadline) {
  refuse_without_loan();
  const Use use(*this);
  const Result<void> driven =
      need == Need::nothing ? Result<void>() : drive_blocking(run, deadline);
  if (!driven) return failure(driven.error());
  end_use();
  return finish(run.take());
}

int LibpqConnection::descriptor() const { return parts_->socket->descriptor(); }

}  // namespace forebay::postgres
