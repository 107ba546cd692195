// LibpqConnector: opens connections with libpq, one attempt a call, any number of calls at once.
//
// Confined to the scheduler. It outlives its attempts; the connections it made may outlive it.
// When connect() fails, the server has let go of whatever the attempt had opened, or must have,
// also beyond the deadline. A server that never says so is waited for as long as the settings say.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "forebay/pool/connection.hpp"
#include "forebay/pool/observer.hpp"
#include "forebay/pool/session_options.hpp"
#include "forebay/pool/session_settings.hpp"
#include "forebay/postgres/driver/connect_attempt.hpp"
#include "forebay/postgres/driver/conninfo.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::postgres {

class LibpqConnection;

// What a driver is told beside the connection string.
struct LibpqSettings {
  // How soon the server is to notice our end, where it can be told; max: it is told nothing.
  Duration server_notices_after = Duration::max();
  // How long it may go on working for a session whose client is gone, if it has a limit of its own.
  std::optional<Duration> longest_work;
  // For the server to let go of an attempt that failed; max: until it has. A healthy one needs
  // milliseconds.
  Duration give_up_after = std::chrono::seconds(5);
  SessionOptions session;
  Duration call_timeout = std::chrono::seconds(30);  // of statements that say none themselves
  Observation observation;                           // of statements
  // REQUIRES: names and values as PoolOptions wants them.
  SessionSettings session_settings;
};

class LibpqConnector final : public Connector {
 public:
  LibpqConnector(const LibpqEnv& env, ConnectionString target, ServerProfile profile,
                 const LibpqSettings& settings = {});
  LibpqConnector(const LibpqConnector&) = delete;
  LibpqConnector& operator=(const LibpqConnector&) = delete;
  ~LibpqConnector() override;

  // The connections it makes are LibpqConnections. Errors: refused, token_expired, limit_reached,
  // rate_reached, connect_failed (with the SQLSTATE when the server sent one), timed_out, closed,
  // invalid (a password that cannot be sent).
  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override;
  void give_up() override { gives_up_ = true; }
  ServerKind server() const override { return profile_.kind; }

  const ConnectionString& target() const { return target_; }
  const ServerProfile& profile() const { return profile_; }

 private:
  class Registration;
  // How the server is told when to notice that we are gone.
  enum class Telling : std::uint8_t { nothing, in_options, by_statement };

  Error explain(Error error, bool was_told);
  Task<void> wait_until_gone(ConnectAttempt& attempt);
  Task<void> wait_until_gone(LibpqConnection& connection);
  Instant next_look(Instant give_up_at) const;
  bool waits_on(Instant give_up_at) const {
    return !gives_up_ && env_.scheduler.now() < give_up_at;
  }
  ServerNotice notice_of_attempts() const;
  Task<Result<std::unique_ptr<Connection>>> finish(ConnectAttempt& attempt, Instant deadline);

  const LibpqEnv env_;
  ConnectionString target_;
  const ServerProfile profile_;
  const LibpqSettings settings_;
  NoticePlan plan_;
  Telling telling_ = Telling::nothing;
  IntrusiveList<ConnectAttempt, &ConnectAttempt::link>
      attempts_;  // those that close() must still end
  std::size_t running_ = 0;
  bool is_closed_ = false;
  bool gives_up_ = false;
};

}  // namespace forebay::postgres
