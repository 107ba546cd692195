// LinkConnector: opens sessions for a pool, which are ServerLinks: one attempt a call, any number
// of calls at once.
//
// Confined to the scheduler. It outlives its attempts; the links it made may outlive it. When
// connect() fails, the server has let go of whatever the attempt had begun, or must have, also
// beyond the deadline. A server that never says so is waited for as long as the settings say.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "forebay/core/notice.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/pool/session_settings.hpp"
#include "forebay/postgres/driver/notice_settings.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/proxy/link/link_attempt.hpp"
#include "forebay/proxy/link/link_env.hpp"
#include "forebay/proxy/link/link_target.hpp"
#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

// What a connector is told beside the target, as postgres::LibpqSettings.
struct LinkSettings {
  LinkSettings() = default;

  // How soon the server is to notice our end, where it can be told; max: it is told nothing.
  Duration server_notices_after = Duration::max();
  // How long it may go on working for a session whose client is gone, if it has a limit of its own.
  std::optional<Duration> longest_work;
  // For the server to let go of an attempt that failed; max: until it has. A healthy one needs
  // milliseconds.
  Duration give_up_after = std::chrono::seconds(5);
  // REQUIRES: names and values as PoolOptions wants them.
  SessionSettings session_settings;
};

class LinkConnector final : public Connector {
 public:
  LinkConnector(const LinkEnv& env, LinkTarget target, postgres::ServerProfile profile,
                const LinkSettings& settings = {});
  LinkConnector(const LinkConnector&) = delete;
  LinkConnector& operator=(const LinkConnector&) = delete;
  ~LinkConnector() override;

  // The connections it makes are ServerLinks. Errors: refused, token_expired, limit_reached,
  // rate_reached, connect_failed (with the SQLSTATE when the server sent one), timed_out, closed,
  // invalid (a password that cannot be sent).
  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override;
  void give_up() override { gives_up_ = true; }
  ServerKind server() const override { return profile_.kind; }

  const LinkTarget& target() const { return target_; }
  const postgres::ServerProfile& profile() const { return profile_; }

 private:
  class Registration;
  // How the server is told when to notice that we are gone.
  enum class Telling : std::uint8_t { nothing, in_options, by_statement };
  // What came of one place.
  struct Tried;

  Task<Tried> try_place(LinkPlace place, std::string packet, Instant deadline);
  Task<Result<std::unique_ptr<Connection>>> finish(LinkAttempt& attempt, Instant deadline);
  Task<Result<void>> tell_by_statement(ServerLink& opened, Instant deadline);
  template <class Session>
  Task<void> wait_until_gone(Session& session);
  std::string startup_packet() const;
  wire::ClientCredentials credentials(const std::string& password);
  void keep_keys(const LinkAttempt& attempt, const std::string& password);
  postgres::NoticeSettings notice_settings() const;
  ServerNotice notice_of_attempts() const;
  ServerNotice notice_of_sessions(bool is_told) const;
  Error explain(Error error, bool was_told);

  const LinkEnv env_;
  LinkTarget target_;
  const postgres::ServerProfile profile_;
  const LinkSettings settings_;
  NoticePlan plan_;
  Telling telling_ = Telling::nothing;
  // Of the last log-in by SCRAM, and the password that they were made of: both secrets.
  std::optional<wire::SaltedKeys> keys_;
  std::string password_of_keys_;
  IntrusiveList<LinkAttempt, &LinkAttempt::link> attempts_;  // those that close() must still end
  std::size_t running_ = 0;
  bool is_closed_ = false;
  bool gives_up_ = false;
};

}  // namespace forebay::proxy
