// LibpqConnection::Parts: what a connection has besides libpq's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/base/fork_mark.hpp"
#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/postgres/driver/cancel_key.hpp"
#include "forebay/postgres/driver/dialogue.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/postgres/driver/session_socket.hpp"
#include "forebay/postgres/driver/statement_cache.hpp"

namespace forebay::postgres {

using forebay::detail::ObservedSpan;

template <class T>
Result<T> failed(const Result<void>& performed) {
  return failure(performed.error());
}

struct LibpqConnection::Parts {
  Parts(std::unique_ptr<SessionSocket> session_socket, const ServerProfile& server_profile)
      : profile(server_profile),
        socket(std::move(session_socket)),
        dialogue(socket->descriptor()) {}

  ServerProfile profile;
  ServerNotice notice;
  std::unique_ptr<SessionSocket> socket;
  Dialogue dialogue;
  bool is_encrypted = false;  // what is sent on the socket is libpq's secret
  std::optional<StatementCache> statements{SessionOptions()};
  wire::Leftovers leftovers;  // of statements since the last reset
  std::string begin;          // to be sent with the next statement; empty: nothing is
  Instant begin_deadline = kNever;
  bool is_streaming = false;            // rows are being read one at a time
  bool has_abandoned_rows = false;      // and their reader left before the last
  std::optional<Error> stream_failure;  // what the latest one that failed ended with
  bool hears_unasked = false;           // for good: it listens, or nobody knows
  bool is_shown_raw = false;            // libpq's own connection is in the user's hands
  std::optional<CancelKey> cancel_key;
  Duration call_timeout = std::chrono::seconds(30);
  Observation observation;
  const ForkMark process;
};

template <class T>
Result<T> LibpqConnection::finish(Result<T> outcome) {
  if (!outcome) note_failure(outcome.error());
  return outcome;
}

}  // namespace forebay::postgres
