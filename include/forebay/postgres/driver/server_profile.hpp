// ServerProfile: what differs between PostgreSQL and Aurora DSQL, as a value.
//
// Numbers are the servers' own limits, not our settings; plans with them leave a margin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/server_kind.hpp"
#include "forebay/env/time.hpp"
#include "forebay/wire/leftovers.hpp"

namespace forebay::postgres {

struct ConnectRate {
  double per_second = 0;
  std::uint32_t burst = 0;
};

// What clears one kind of things in a session.
struct ResetPart {
  wire::Leftover kind;
  std::string_view statement;
};

struct ServerProfile {
  static ServerProfile postgresql();
  static ServerProfile dsql();
  // By host name: *.dsql*.<region>.on.aws is DSQL, everything else PostgreSQL.
  static ServerProfile for_host(std::string_view host);

  ServerProfile() =
      default;  // keeps this from being an aggregate, which g++ 12 coroutines cannot take

  // What to send, each as one query, so that the next user finds nothing of what may be there, and
  // the session is again as it was meant to be.
  std::vector<std::string> reset_messages(wire::Leftovers leftovers, bool is_in_transaction) const;
  // Whether these messages also drop what was prepared.
  static bool drops_prepared(wire::Leftovers leftovers) {
    return leftovers.has(wire::Leftover::everything) || leftovers.has(wire::Leftover::prepared);
  }

  ServerKind kind = ServerKind::other;
  std::vector<std::string> reset_statements;  // clear everything
  bool can_reset_in_one_message = false;      // they may share a query with each other and ROLLBACK
  std::vector<ResetPart> reset_parts;         // each clears one kind; they may share a query
  bool can_drop_one_prepared = false;         // knows DEALLOCATE with a name
  std::string check_statement;            // the cheapest round trip that proves the server is there
  std::string session_statement;          // sets what a reset undoes; empty: nothing
  bool knows_notice = false;              // can be told how soon to notice our end (NoticeSettings)
  bool can_cancel = false;                // a cancel request ends a statement
  std::optional<Duration> session_limit;  // the server cuts a session that is older
  std::optional<Duration> transaction_limit;  // the server fails a transaction that is older
  std::optional<ConnectRate> connect_rate;
  std::optional<std::uint32_t> connection_limit;  // unset: ask the server
  bool requires_tls = false;
  bool rechecks_identity = false;  // checks at each transaction whether the role may still log in
};

}  // namespace forebay::postgres
