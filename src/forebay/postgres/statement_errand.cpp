#include "forebay/postgres/statement_errand.hpp"

#include <utility>

#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/pool/pool_control.hpp"

namespace forebay::postgres {

Result<QueryResult> StatementErrand::run(Pool& pool, const Observation& observation,
                                         const Scheduler& scheduler) {
  forebay::detail::ObservedSpan span(observation, scheduler);
  if (span) span.begin(ObservedStep::acquire, TraceScope::current(), {});
  Result<PooledConnection> pooled = PoolControl(pool).acquire_for(*this);
  if (span) span.end(pooled ? nullptr : &pooled.error());
  if (!pooled) return failure(std::move(pooled.error()));
  const PooledSession session(std::move(*pooled));
  return begun_ ? session->finish_begun(*begun_, need_, deadline_)
                : session->exec_blocking_until(statement_, parameters_, deadline_);
}

int StatementErrand::begin(Connection& connection) noexcept {
  auto& session = static_cast<LibpqConnection&>(connection);
  if (!session.begin_for_other(begun_, statement_, parameters_, deadline_)) return -1;
  need_ = begun_->advance();
  return need_ == Need::readable ? session.descriptor() : -1;
}

}  // namespace forebay::postgres
