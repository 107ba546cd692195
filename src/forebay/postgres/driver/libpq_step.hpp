// Work on a connection, one step at a time, without waiting: advance() does what it can and
// says what must happen before it can do more. A coroutine and a blocked thread can so drive
// the same code.
//
// REQUIRES: the connection is in non-blocking mode and outlives the work; one piece of work
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/query_result.hpp"

namespace forebay::postgres {

// either: readable or writable, whichever comes first.
enum class Need : std::uint8_t { nothing, readable, either };

// So much is given to libpq before its socket is looked at, and so much before others on the loop
// have their turn.
inline constexpr std::size_t kPieceBytes = 64 * 1024;
inline constexpr std::size_t kTurnBytes = 16 * kPieceBytes;

// Sends what libpq has gathered. nothing: it is sent, or the connection is lost. While it waits to
// send it also reads: a server whose own answers (notices) nobody takes would take nothing from us.
Need flush(pg_conn* connection);

// Errc::invalid: a zero byte, at which libpq would cut the text, and the server would see another
// statement or another value.
Result<void> check_text(const std::string& sql_or_name, const Parameters& parameters);
Result<void> check_values(const Parameters& parameters);

class LibpqStep {
 public:
  virtual ~LibpqStep() = default;
  virtual Need advance() = 0;  // nothing: it is over
};

// Work that begins by handing something to libpq.
class StartedStep : public LibpqStep {
 public:
  // Errc::invalid: libpq would not take it, and nothing was sent. Once, before the first advance().
  virtual Result<void> start() = 0;
};

// Sends a statement and collects its results until the server is ready for the next one. With
// parameters it is one statement; without, it may be several, of which the last result or the
// first error counts.
class StatementRun final : public LibpqStep {
 public:
  explicit StatementRun(pg_conn* connection) : connection_(connection) {}

  // Hands the statement to libpq. Errc::invalid: libpq would not take it, and nothing was sent.
  Result<void> start(const std::string& sql, const Parameters& parameters);
  // The same for one statement alone, in the extended protocol: what a pipeline takes.
  Result<void> start_single(const std::string& sql, const Parameters& parameters);
  Result<void> start_preparing(const std::string& name, const std::string& sql);
  Result<void> start_prepared(const std::string& name, const Parameters& parameters);
  Need advance() override;
  Result<QueryResult> take();  // REQUIRES: advance() returned nothing

 private:
  Result<void> accepted(int answer) const;
  bool keep(ResultHandle result);  // true: a COPY has begun

  pg_conn* connection_;
  ResultHandle last_;
  ResultHandle first_error_;
  bool is_sent_ = false;
  bool must_read_ = false;
};

// Brings a connection on which something was left half done (results, COPY, a pipeline) back to
// where a new statement can be sent. Afterwards PQtransactionStatus tells whether that worked.
class LeftoverDrain final : public LibpqStep {
 public:
  explicit LeftoverDrain(pg_conn* connection) : connection_(connection) {}
  Need advance() override;
  // A statement, and nothing else, was there, and the server has cancelled it.
  bool has_met_cancel() const { return is_cancelled_ && !has_met_copy_; }

 private:
  enum class Copy : std::uint8_t { none, in, out };
  void end_pipeline();
  bool is_at_end();
  Need drop_copied_rows();
  Need end_copy_in();

  pg_conn* connection_;
  Copy copy_ = Copy::none;
  bool must_read_ = false;
  bool has_looked_for_pipeline_ = false;
  bool is_stuck_ = false;
  bool is_cancelled_ = false;
  bool has_met_copy_ = false;
};

}  // namespace forebay::postgres
