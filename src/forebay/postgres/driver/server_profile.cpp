// The two profiles. DSQL's numbers: Aurora DSQL user guide, "Cluster quotas and database limits".
#include "forebay/postgres/driver/server_profile.hpp"

#include "forebay/base/dsql_host.hpp"

namespace forebay::postgres {

using std::chrono::minutes;
using wire::Leftover;

ServerProfile ServerProfile::postgresql() {
  ServerProfile profile;
  profile.kind = ServerKind::postgresql;
  profile.reset_statements = {"DISCARD ALL"};
  // DISCARD ALL refuses to run in a transaction, and statements that share a query share one.
  profile.can_reset_in_one_message = false;
  // What DISCARD ALL does, in its order. What plans were made of is seen to by the server itself.
  profile.reset_parts = {
      {Leftover::cursors, "CLOSE ALL"},
      {Leftover::settings, "SET SESSION AUTHORIZATION DEFAULT; RESET ALL"},
      {Leftover::prepared, "DEALLOCATE ALL"},
      {Leftover::channels, "UNLISTEN *"},
      {Leftover::locks, "SELECT pg_catalog.pg_advisory_unlock_all()"},
      {Leftover::temporary, "DISCARD TEMP"},
      {Leftover::sequences, "DISCARD SEQUENCES"},
  };
  profile.can_drop_one_prepared = true;
  profile.check_statement = ";";
  profile.knows_notice = true;
  profile.can_cancel = true;
  return profile;
}

ServerProfile ServerProfile::dsql() {
  ServerProfile profile;
  profile.kind = ServerKind::dsql;
  // DSQL has no DISCARD; it also has no temporary tables, listeners, cursors or advisory
  // locks to leak.
  profile.reset_statements = {"RESET ALL", "DEALLOCATE ALL"};
  profile.can_reset_in_one_message = true;
  profile.reset_parts = {{Leftover::settings, "RESET ALL"}, {Leftover::prepared, "DEALLOCATE ALL"}};
  profile.check_statement = "SELECT 1";
  profile.session_limit = minutes(60);
  profile.transaction_limit = minutes(5);
  profile.connect_rate = ConnectRate{.per_second = 100, .burst = 1000};
  profile.connection_limit = 10'000;
  profile.requires_tls = true;
  profile.rechecks_identity = true;
  return profile;
}

ServerProfile ServerProfile::for_host(std::string_view host) {
  return is_dsql_host(host) ? dsql() : postgresql();
}

std::vector<std::string> ServerProfile::reset_messages(wire::Leftovers leftovers,
                                                       bool is_in_transaction) const {
  const bool clears_all = leftovers.has(Leftover::everything);
  std::vector<std::string> messages;
  if (is_in_transaction) messages.emplace_back("ROLLBACK");
  if (clears_all) {
    messages.insert(messages.end(), reset_statements.begin(), reset_statements.end());
  } else {
    for (const ResetPart& part : reset_parts) {
      if (leftovers.has(part.kind)) messages.emplace_back(part.statement);
    }
  }
  if ((!clears_all || can_reset_in_one_message) && messages.size() > 1) {
    std::string joined;
    for (const std::string& message : messages) joined += (joined.empty() ? "" : "; ") + message;
    messages = {joined};
  }
  const bool undoes_settings = clears_all || leftovers.has(Leftover::settings);
  if (undoes_settings && !session_statement.empty()) messages.push_back(session_statement);
  return messages;
}

}  // namespace forebay::postgres
