// The two profiles. DSQL's numbers: Aurora DSQL user guide, "Cluster quotas and database limits".
#include "forebay/postgres/server_profile.hpp"

#include "forebay/base/ascii_text.hpp"

namespace forebay::postgres {

using std::chrono::minutes;

ServerProfile ServerProfile::postgresql() {
  ServerProfile profile;
  profile.name = "postgresql";
  profile.reset_statements = {"DISCARD ALL"};
  // DISCARD ALL refuses to run in a transaction, and statements that share a query share one.
  profile.can_reset_in_one_message = false;
  profile.check_statement = ";";
  profile.knows_notice = true;
  profile.can_cancel = true;
  return profile;
}

ServerProfile ServerProfile::dsql() {
  ServerProfile profile;
  profile.name = "dsql";
  // DSQL has no DISCARD; it also has no temporary tables, listeners, cursors or advisory
  // locks to leak.
  profile.reset_statements = {"RESET ALL", "DEALLOCATE ALL"};
  profile.can_reset_in_one_message = true;
  profile.check_statement = "SELECT 1";
  profile.session_limit = minutes(60);
  profile.transaction_limit = minutes(5);
  profile.connect_rate = ConnectRate{.per_second = 100, .burst = 1000};
  profile.connection_limit = 10'000;
  profile.requires_tls = true;
  return profile;
}

ServerProfile ServerProfile::for_host(std::string_view host) {
  std::string lowered = lower_case(host);
  if (lowered.ends_with('.')) lowered.pop_back();
  // The label is "dsql", or "dsql-<suffix>" behind PrivateLink.
  const bool is_dsql = lowered.ends_with(".on.aws") && lowered.contains(".dsql");
  return is_dsql ? dsql() : postgresql();
}

std::vector<std::string> ServerProfile::reset_messages(bool is_in_transaction) const {
  std::vector<std::string> messages;
  if (is_in_transaction) messages.emplace_back("ROLLBACK");
  messages.insert(messages.end(), reset_statements.begin(), reset_statements.end());
  if (can_reset_in_one_message && !messages.empty()) {
    std::string joined;
    for (const std::string& message : messages) joined += (joined.empty() ? "" : "; ") + message;
    messages = {joined};
  }
  if (!session_statement.empty()) messages.push_back(session_statement);
  return messages;
}

}  // namespace forebay::postgres
