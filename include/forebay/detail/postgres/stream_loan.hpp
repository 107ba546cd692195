// StreamLoan: acquires a session for one stream of rows, which keeps it until its end.
#pragma once

#include <source_location>
#include <utility>

#include "forebay/detail/postgres/brief_loan.hpp"

namespace forebay::postgres::detail {

class StreamLoan {
 public:
  // is_whole: the limit is that of the whole stream; else that of its first row, from the wait for
  // a session on, and of each wait after it. The source outlives it.
  StreamLoan(SessionSource& sessions, CallLimit limit, bool is_whole, std::source_location from)
      : sessions_(sessions), limit_(std::move(limit)), is_whole_(is_whole), from_(from) {}

  Task<Result<StreamedRows>> open(Statement statement, Parameters parameters);
  Result<StreamedRows> open_blocking(const Statement& statement, const Parameters& parameters);

 private:
  Task<Result<StreamedRows>> open_until(Statement statement, Parameters parameters, Until until);
  StreamLimit stream_limit(Until until) const;

  SessionSource& sessions_;
  CallLimit limit_;
  bool is_whole_;
  std::source_location from_;
};

template <class... T>
Task<Result<RowStream<T...>>> stream_on_loan(StreamLoan loan, Statement statement,
                                             Parameters parameters) {
  Result<StreamedRows> rows = co_await loan.open(std::move(statement), std::move(parameters));
  co_return RowStream<T...>::over(std::move(rows));
}

}  // namespace forebay::postgres::detail
