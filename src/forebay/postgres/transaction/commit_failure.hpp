// CommitFailure: what it means that COMMIT, sent alone or with the last statements, brought an
// error.
//
// Nothing was applied if the server has said so: by leaving the transaction open or failed, or by
// an error that is one of COMMIT's own. Everything else is an unknown outcome.
#pragma once

#include "forebay/postgres/transaction/transaction.hpp"

namespace forebay::postgres {

struct CommitFailure {
  CommitFailure(Error what, bool is_unknown_outcome)
      : error(std::move(what)), is_unknown(is_unknown_outcome) {}
  Error error;
  bool is_unknown;
};

// To be asked with the session as the error left it.
CommitFailure judge_commit(const TransactionOptions& options, const LibpqConnection& session,
                           const Error& error);

}  // namespace forebay::postgres
