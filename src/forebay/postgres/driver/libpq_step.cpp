// The non-blocking dance of libpq: flush, consume, is it busy, get the result.
#include "forebay/postgres/driver/libpq_step.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/postgres/driver/libpq_error.hpp"

namespace forebay::postgres {
namespace {

// What libpq wants of the parameters. Few of them, as there mostly are, cost no memory of the heap.
class Pointers {
 public:
  explicit Pointers(const Parameters& parameters) : count_(parameters.size()) {
    if (count_ > few_.size()) many_.resize(count_);
    const char** place = count_ > few_.size() ? many_.data() : few_.data();
    first_ = place;
    for (const auto& parameter : parameters) *place++ = parameter ? parameter->c_str() : nullptr;
  }
  Pointers(const Pointers&) = delete;
  Pointers& operator=(const Pointers&) = delete;

  int count() const { return static_cast<int>(count_); }
  const char* const* first() const { return first_; }

 private:
  const std::size_t count_;
  std::array<const char*, 8> few_;
  std::vector<const char*> many_;
  const char* const* first_;
};

bool has_zero_byte(const Parameters& parameters) {
  return std::ranges::any_of(parameters, [](const std::optional<std::string>& parameter) {
    return parameter && parameter->contains('\0');
  });
}

std::unexpected<Error> zero_byte() {
  return failure(Errc::invalid, "a statement or parameter contains a zero byte");
}

bool is_error(ExecStatusType status) {
  switch (status) {
    case PGRES_FATAL_ERROR:
    case PGRES_BAD_RESPONSE:
    case PGRES_NONFATAL_ERROR:
    case PGRES_PIPELINE_ABORTED: return true;
    default: return false;
  }
}

bool is_cancel(const pg_result* result) {
  const char* const sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return sqlstate != nullptr && std::string_view(sqlstate) == "57014";
}

}  // namespace

Result<void> check_text(const std::string& sql_or_name, const Parameters& parameters) {
  if (sql_or_name.contains('\0')) return zero_byte();
  return check_values(parameters);
}

Result<void> check_values(const Parameters& parameters) {
  if (has_zero_byte(parameters)) return zero_byte();
  return {};
}

Need flush(pg_conn* connection) {
  if (PQflush(connection) != 1) return Need::nothing;
  PQconsumeInput(connection);
  PQisBusy(connection);  // takes notices out of libpq's buffer, which would grow
  return PQstatus(connection) == CONNECTION_OK ? Need::either : Need::nothing;
}

Result<void> StatementRun::start(const std::string& sql, const Parameters& parameters) {
  Result<void> checked = check_text(sql, parameters);
  if (!checked) return checked;
  if (parameters.empty()) return accepted(PQsendQuery(connection_, sql.c_str()));
  return start_single(sql, parameters);
}

Result<void> StatementRun::start_single(const std::string& sql, const Parameters& parameters) {
  Result<void> checked = check_text(sql, parameters);
  if (!checked) return checked;
  const Pointers values(parameters);
  return accepted(PQsendQueryParams(connection_, sql.c_str(), values.count(), nullptr,
                                    values.first(), nullptr, nullptr, 0));
}

Result<void> StatementRun::start_preparing(const std::string& name, const std::string& sql) {
  const Parameters none;
  for (const std::string* text : {&name, &sql}) {
    Result<void> checked = check_text(*text, none);
    if (!checked) return checked;
  }
  return accepted(PQsendPrepare(connection_, name.c_str(), sql.c_str(), 0, nullptr));
}

Result<void> StatementRun::start_prepared(const std::string& name, const Parameters& parameters) {
  Result<void> checked = check_values(parameters);  // the name is ours
  if (!checked) return checked;
  const Pointers values(parameters);
  return accepted(PQsendQueryPrepared(connection_, name.c_str(), values.count(), values.first(),
                                      nullptr, nullptr, 0));
}

Result<void> StatementRun::accepted(int answer) const {
  if (answer == 1) return {};
  const bool is_lost = PQstatus(connection_) != CONNECTION_OK;
  return failure(
      is_lost ? Errc::connection_lost : Errc::invalid,
      fmt::format("the statement could not be sent: {}", one_line(PQerrorMessage(connection_))));
}

Need StatementRun::advance() {
  if (!is_sent_) {
    if (const Need need = flush(connection_); need != Need::nothing) return need;
    is_sent_ = true;  // or lost: reading then brings the server's last words
  }
  if (must_read_) PQconsumeInput(connection_);  // its failures come out of PQgetResult
  must_read_ = false;
  while (PQisBusy(connection_) == 0) {
    ResultHandle result(PQgetResult(connection_));
    if (!result) return Need::nothing;
    if (keep(std::move(result))) return Need::nothing;
  }
  must_read_ = true;
  return Need::readable;
}

bool StatementRun::keep(ResultHandle result) {
  const ExecStatusType status = PQresultStatus(result.get());
  if (is_error(status)) {
    // Later errors are consequences ("server closed the connection"): the first says why.
    if (!first_error_) first_error_ = std::move(result);
    return false;
  }
  last_ = std::move(result);
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

Result<QueryResult> StatementRun::take() {
  if (first_error_ || !last_) return failure(statement_error(first_error_.get(), connection_));
  return QueryResult(std::move(last_));
}

Need LeftoverDrain::advance() {
  if (!has_looked_for_pipeline_) end_pipeline();
  while (!is_stuck_) {
    if (const Need need = flush(connection_); need != Need::nothing) return need;
    if (must_read_) PQconsumeInput(connection_);
    must_read_ = false;
    if (copy_ == Copy::in) {
      if (const Need need = end_copy_in(); need != Need::nothing) return need;
      continue;
    }
    if (copy_ == Copy::out) {
      if (const Need need = drop_copied_rows(); need != Need::nothing) return need;
      continue;
    }
    if (PQisBusy(connection_) == 1 && PQstatus(connection_) == CONNECTION_OK) {
      must_read_ = true;
      return Need::readable;
    }
    const ResultHandle result(PQgetResult(connection_));
    if (!result && is_at_end()) return Need::nothing;
    if (!result) continue;  // only this statement of a pipeline is at its end
    const ExecStatusType status = PQresultStatus(result.get());
    is_cancelled_ = is_cancelled_ || is_cancel(result.get());
    if (status == PGRES_COPY_IN) copy_ = Copy::in;
    if (status == PGRES_COPY_OUT) copy_ = Copy::out;
    if (status == PGRES_COPY_BOTH)
      is_stuck_ = true;  // replication: nothing that a pool should keep
    if (copy_ != Copy::none) has_met_copy_ = true;
  }
  return Need::nothing;
}

// Whether its Sync was sent is not known; a second one does no harm.
void LeftoverDrain::end_pipeline() {
  has_looked_for_pipeline_ = true;
  if (PQpipelineStatus(connection_) == PQ_PIPELINE_OFF) return;
  if (PQpipelineSync(connection_) != 1) is_stuck_ = true;
}

bool LeftoverDrain::is_at_end() {
  if (PQpipelineStatus(connection_) == PQ_PIPELINE_OFF) return true;
  return PQstatus(connection_) != CONNECTION_OK || PQexitPipelineMode(connection_) == 1;
}

Need LeftoverDrain::end_copy_in() {
  const int answer =
      PQputCopyEnd(connection_, "abandoned by its user");  // the server drops the rows
  if (answer == 0) return Need::either;
  if (answer < 0) is_stuck_ = true;
  copy_ = Copy::none;
  return Need::nothing;
}

Need LeftoverDrain::drop_copied_rows() {
  for (;;) {
    char* row = nullptr;
    const int length = PQgetCopyData(connection_, &row, 1);
    if (length > 0) {
      PQfreemem(row);
      continue;
    }
    if (length == 0) {
      must_read_ = true;
      return Need::readable;
    }
    copy_ = Copy::none;  // the end, or an error that PQgetResult will show
    return Need::nothing;
  }
}

}  // namespace forebay::postgres
