// LibpqConnector: opens connections with libpq, one attempt a call, any number of calls at once.
//
// Confined to the scheduler. It outlives its attempts; the connections it made may outlive it.
// When connect() fails, the server has let go of whatever the attempt had opened; a server that
// does not answer is given kGoodbye for that, also beyond the deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "forebay/pool/connection.hpp"
#include "forebay/postgres/connect_attempt.hpp"
#include "forebay/postgres/conninfo.hpp"
#include "forebay/postgres/server_profile.hpp"

namespace forebay::postgres {

// What a driver is told beside the connection string.
struct LibpqSettings {
  // How soon the server is to miss us, where it can be told; max: it is told nothing.
  Duration server_notices_after = Duration::max();
};

class LibpqConnector final : public Connector {
 public:
  // A healthy server notices the end of a session within milliseconds.
  static constexpr Duration kGoodbye = std::chrono::seconds(5);

  LibpqConnector(const LibpqEnv& env, ConnectionString target, ServerProfile profile,
                 const LibpqSettings& settings = {});
  LibpqConnector(const LibpqConnector&) = delete;
  LibpqConnector& operator=(const LibpqConnector&) = delete;
  ~LibpqConnector() override;

  // The connections it makes are LibpqConnections. Errors: refused, token_expired, limit_reached,
  // connect_failed (with the SQLSTATE when the server sent one), timed_out, closed, invalid (a
  // password that cannot be sent).
  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override;

  const ConnectionString& target() const { return target_; }
  const ServerProfile& profile() const { return profile_; }

 private:
  class Registration;
  // How the server is told when to miss us.
  enum class Telling : std::uint8_t { nothing, in_options, by_statement };

  Error explain(Error error);
  Task<Result<std::unique_ptr<Connection>>> finish(ConnectAttempt& attempt, Instant deadline);

  const LibpqEnv env_;
  ConnectionString target_;
  const ServerProfile profile_;
  NoticePlan plan_;
  Telling telling_ = Telling::nothing;
  IntrusiveList<ConnectAttempt, &ConnectAttempt::link>
      attempts_;  // those that close() must still end
  std::size_t running_ = 0;
  bool is_closed_ = false;
};

}  // namespace forebay::postgres
