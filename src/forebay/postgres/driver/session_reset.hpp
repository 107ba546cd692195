// SessionReset: clears a session for its next user, as work that a coroutine or a
// blocked thread drives.
//
// Ends what the last user left half done, rolls back, and sends what the plan says. Half a reset is
// none: after a failure the connection must not be used again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::postgres {

struct ResetPlan {
  ResetPlan(wire::Leftovers may_be_there, std::vector<std::string> stale_names)
      : leftovers(may_be_there), stale(std::move(stale_names)) {}
  wire::Leftovers leftovers;
  std::vector<std::string> stale;  // prepared statements to be dropped
};

class SessionReset final : public LibpqStep {
 public:
  SessionReset(pg_conn* connection, const ServerProfile& profile, ResetPlan plan);

  Need advance() override;
  Result<void> take() { return std::move(outcome_); }  // REQUIRES: advance() returned nothing
  wire::Leftovers leftovers() const { return plan_.leftovers; }
  bool drops_prepared() const { return ServerProfile::drops_prepared(plan_.leftovers); }

 private:
  Need drain();
  Need send();
  void plan_messages();

  pg_conn* connection_;
  const ServerProfile& profile_;
  const ResetPlan plan_;
  std::optional<LeftoverDrain> drain_;
  std::vector<std::string> messages_;
  std::size_t next_message_ = 0;
  std::optional<StatementRun> run_;
  Result<void> outcome_;
};

}  // namespace forebay::postgres
