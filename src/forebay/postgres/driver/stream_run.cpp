#include "forebay/postgres/driver/stream_run.hpp"

#include <utility>

#include <libpq-fe.h>
#include <poll.h>

#include "forebay/postgres/driver/libpq_error.hpp"

namespace forebay::postgres {
namespace {

bool begins_copy(ExecStatusType status) {
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

bool is_success(ExecStatusType status) {
  return status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

// About what it took on the wire. libpq's own count of memory is a hundred times that.
std::size_t bytes_of(const pg_result* row) {
  std::size_t bytes = 0;
  for (int column = 0; column < PQnfields(row) && PQntuples(row) == 1; ++column)
    bytes += 4 + static_cast<std::size_t>(PQgetlength(row, 0, column));
  return bytes + 7;
}

bool has_something_to_read(int descriptor) {
  pollfd waiting{};
  waiting.fd = descriptor;
  waiting.events = POLLIN;
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace

Result<void> StreamRun::start() {
  const bool is_wanted = statement_.prepared_name() || cache_.is_worth_preparing(known_);
  const bool must_prepare = is_wanted && known_.server_name.empty();
  return send(must_prepare ? Phase::preparing : Phase::rows);
}

Result<void> StreamRun::send(Phase phase) {
  phase_ = phase;
  is_sent_ = false;
  sending_.emplace(connection_);
  if (phase == Phase::preparing) {
    was_prepared_here_ = true;
    name_ = cache_.new_name(statement_.prepared_name().value_or(""));
    return sending_->start_preparing(name_, known_.sql);
  }
  Result<void> sent = known_.server_name.empty()
                          ? sending_->start_single(known_.sql, parameters_)
                          : sending_->start_prepared(known_.server_name, parameters_);
  if (sent && PQsetSingleRowMode(connection_) != 1)
    return failure(Errc::invalid, "libpq would not give the rows one at a time");
  return sent;
}

Need StreamRun::advance() {
  while (!is_over_) {
    Need need = Need::nothing;
    switch (phase_) {
      case Phase::preparing: need = prepare(); break;
      case Phase::rows:
        need = take_row();
        if (need == Need::nothing && !is_over_ && phase_ == Phase::rows) return need;
        break;
      case Phase::draining:
        need = drain_->advance();
        is_over_ = need == Need::nothing;
        break;
    }
    if (need != Need::nothing) return need;
  }
  return Need::nothing;
}

Need StreamRun::prepare() {
  const Need need = sending_->advance();
  if (need != Need::nothing) return need;
  const Result<QueryResult> prepared = sending_->take();
  Result<void> sent = prepared ? Result<void>() : failure(prepared.error());
  if (sent) {
    cache_.note_prepared(known_, std::move(name_));
    sent = send(Phase::rows);
  }
  if (!sent) {
    error_ = sent.error();
    is_over_ = true;
  }
  return Need::nothing;
}

// Nothing: there is a row, or the phase or all of it has ended.
Need StreamRun::take_row() {
  if (!is_sent_) {
    if (const Need need = flush(connection_); need != Need::nothing) return need;
    is_sent_ = true;  // or lost: reading then brings the server's last words
  }
  if (must_read_) PQconsumeInput(connection_);  // its failures come out of PQgetResult
  must_read_ = false;
  while (PQisBusy(connection_) == 0) {
    ResultHandle result(PQgetResult(connection_));
    if (!result) {
      end_rows();
      return Need::nothing;
    }
    if (keep(std::move(result)) || phase_ != Phase::rows) return Need::nothing;
  }
  must_read_ = true;
  return Need::readable;
}

bool StreamRun::keep(ResultHandle result) {
  const ExecStatusType status = PQresultStatus(result.get());
  if (begins_copy(status)) {
    refuse_copy();
    return false;
  }
  if (!is_success(status)) {
    // Later errors are consequences ("server closed the connection"): the first says why.
    if (!error_) error_ = statement_error(result.get(), connection_);
    return false;
  }
  row_.emplace(std::move(result), rows_);
  const bool is_row = status == PGRES_SINGLE_TUPLE;
  if (is_row) ++rows_;
  return is_row;
}

void StreamRun::refuse_copy() {
  error_ =
      Error(Errc::invalid, "a COPY has no rows to stream: copy_out() and copy_in() are for it");
  drain_.emplace(connection_);
  phase_ = Phase::draining;
}

void StreamRun::end_rows() {
  if (!error_ && !row_) error_ = statement_error(nullptr, connection_);
  if (error_ && must_prepare_again()) {
    error_.reset();
    const Result<void> sent = send(Phase::preparing);
    if (sent) return;
    error_ = sent.error();
  }
  is_over_ = true;
}

bool StreamRun::must_prepare_again() {
  if (known_.server_name.empty() || rows_ > 0) return false;
  if (!cache_.note_refused(known_, error_->sqlstate())) return false;
  return PQtransactionStatus(connection_) == PQTRANS_IDLE && !was_prepared_here_;
}

Need AbandonedRows::advance() {
  if (must_read_) PQconsumeInput(connection_);
  must_read_ = false;
  while (dropped_bytes_ < most_bytes_) {
    if (PQisBusy(connection_) == 1) {
      must_read_ = true;
      return Need::readable;
    }
    const ResultHandle result(PQgetResult(connection_));
    if (!result) {
      is_at_end_ = true;
      return Need::nothing;
    }
    if (!is_success(PQresultStatus(result.get())) && !error_)
      error_ = statement_error(result.get(), connection_);
    dropped_bytes_ += bytes_of(result.get());
  }
  return Need::nothing;
}

void AbandonedRows::take_what_is_here() {
  while (advance() != Need::nothing && has_something_to_read(PQsocket(connection_))) {
  }
}

}  // namespace forebay::postgres
