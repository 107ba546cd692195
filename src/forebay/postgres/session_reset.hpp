// SessionReset: clears a session for its next user, as work that a coroutine or a
// blocked thread drives.
//
// Ends what the last user left half done, rolls back, and sends the server's reset statements. Half
// a reset is none: after a failure the connection must not be used again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "forebay/postgres/libpq_step.hpp"
#include "forebay/postgres/server_profile.hpp"

namespace forebay::postgres {

class SessionReset final : public LibpqStep {
 public:
  SessionReset(pg_conn* connection, const ServerProfile& profile);

  Need advance() override;
  Result<void> take() { return std::move(outcome_); }  // REQUIRES: advance() returned nothing

 private:
  Need drain();
  Need send();
  void plan_messages();

  pg_conn* connection_;
  const ServerProfile& profile_;
  std::optional<LeftoverDrain> drain_;
  std::vector<std::string> messages_;
  std::size_t next_message_ = 0;
  std::optional<StatementRun> run_;
  Result<void> outcome_;
};

}  // namespace forebay::postgres
