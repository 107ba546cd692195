// ConnectAttempt: one try to open a connection, from the first name lookup to
// the first ReadyForQuery.
//
// Names are looked up on the loop, and libpq gets addresses: it never asks a name server itself.
// Everything of libpq that may read files or compute for long (start and poll) runs on the blocking
// lane; waiting for the network happens on the loop. libpq may change sockets at every poll (next
// address, TLS given up), so each one it opens is shared and, in the end, closed as a session is.
// Confined to the scheduler. Work on the lane cannot be interrupted.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/pool/session_settings.hpp"
#include "forebay/postgres/driver/cancel_key.hpp"
#include "forebay/postgres/driver/conninfo.hpp"
#include "forebay/postgres/driver/host_lookup.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"
#include "forebay/postgres/driver/notice_settings.hpp"
#include "forebay/postgres/driver/session_socket.hpp"

namespace forebay::postgres {

class ConnectAttempt {
 public:
  // With the start of the session go the settings, which outlive the attempt, and with a plan also
  // how soon the server is to notice that we are gone.
  ConnectAttempt(const LibpqEnv& env, ConnectionString target, std::optional<NoticePlan> plan,
                 const SessionSettings& settings)
      : env_(env),
        target_(std::move(target)),
        plan_(plan),
        settings_(settings),
        lookup_(env.scheduler, env.names) {}
  ConnectAttempt(const ConnectAttempt&) = delete;
  ConnectAttempt& operator=(const ConnectAttempt&) = delete;

  // Ends connected, or with the reason. REQUIRES: called once.
  Task<Result<void>> run(Instant deadline);
  // Ends run() early with Errc::closed.
  void cancel();

  // After a failed run: what libpq has goes the way of the sockets that it gave up.
  void give_up();
  // After any run: ends when the server has nothing left of the sockets that libpq gave up on its
  // way, true, or at the deadline.
  Task<bool> wait_for_given_up(ServerNotice server, Instant deadline);

  // After a successful run.
  LibpqHandle take_handle() { return std::move(handle_); }
  std::unique_ptr<SessionSocket> take_socket() { return std::move(socket_); }
  // Before take_handle().
  std::optional<CancelKey> take_key() { return listener_.stop(handle_.get()); }
  // What the server was told, if it was.
  const std::optional<NoticeSettings>& told() const { return told_; }

  ListLink<ConnectAttempt> link;

 private:
  enum class Progress : std::uint8_t { wants_read, wants_write, connected, failed };

  void add_to_options(ConnectionString& target);
  void start();     // on the lane; only finds out the hosts if their names must be looked up first
  Progress poll();  // on the lane
  Task<Result<void>> begin(Instant deadline);
  Result<void> follow_socket();
  Task<Result<void>> wait_for(Progress progress, Instant deadline);
  Error explain_failure() const;

  const LibpqEnv env_;
  ConnectionString target_;
  const std::optional<NoticePlan> plan_;
  const SessionSettings& settings_;
  std::optional<NoticeSettings> told_;
  KeyListener listener_;
  // Set by start().
  std::optional<HostList> hosts_;
  std::string own_options_;  // the user's, from wherever libpq has them
  HostLookup lookup_;
  LibpqHandle handle_;
  std::unique_ptr<SessionSocket> socket_;                 // libpq's present one
  std::vector<std::unique_ptr<SessionSocket>> given_up_;  // those it has closed since
  std::atomic<bool> is_cancelled_ = false;                // also read on the lane, before it dials
};

}  // namespace forebay::postgres
