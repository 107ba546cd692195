// LinkAttempt: one try to open a session on one server, from the first packet to the first
// ReadyForQuery.
//
//   phase     what it does                            cancel()
//   calling   connects                                ends it
//   securing  asks for TLS, and begins it             hangs up: the server has no session yet
//   entering  start-up packet, authentication         ends our side, which makes the server hang up
//
// Confined to the scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/core/notice.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/cancellation.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/proxy/link/goodbye.hpp"
#include "forebay/proxy/link/link_env.hpp"
#include "forebay/proxy/link/link_login.hpp"
#include "forebay/proxy/link/link_target.hpp"
#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

struct LinkStart {
  LinkStart(LinkPlace where, LinkTls wish, std::string packet, wire::ClientCredentials who)
      : place(std::move(where)),
        tls(wish),
        startup(std::move(packet)),
        credentials(std::move(who)) {}

  LinkPlace place;
  LinkTls tls;
  std::string startup;
  wire::ClientCredentials credentials;
};

class LinkAttempt {
 public:
  LinkAttempt(const LinkEnv& env, LinkStart start);
  LinkAttempt(const LinkAttempt&) = delete;
  LinkAttempt& operator=(const LinkAttempt&) = delete;

  // Ends connected, or with the reason: see Connector. REQUIRES: called once.
  Task<Result<void>> run(Instant deadline);
  // Ends run() early with Errc::closed, as soon as the server has hung up.
  void cancel();

  // After a failed run. Another server may be in better health.
  bool may_try_next() const { return may_try_next_; }
  // TLS was preferred, and it may be TLS that the server does not like.
  bool may_try_in_clear() const { return may_try_in_clear_; }
  // Ends when the server has nothing left of it, true, or at the deadline; then call it again.
  Task<bool> wait_until_gone(ServerNotice server, Instant deadline);

  // After a successful run.
  LinkParts take_parts();
  const std::optional<wire::SaltedKeys>& derived_keys() const { return login_.derived_keys(); }

  ListLink<LinkAttempt> link;

 private:
  enum class Phase : std::uint8_t { calling, securing, entering };

  Task<Result<void>> go(Instant deadline);
  Task<Result<void>> ask_for_tls(Instant deadline);
  Task<Result<void>> begin_tls(Instant deadline);
  Task<Result<void>> log_in(Instant deadline);
  Task<Result<void>> send(std::string bytes, Instant deadline);
  Task<Result<void>> receive(Instant deadline);
  Task<void> end_our_side();
  Error explained(const Error& error) const;

  const LinkEnv env_;
  const LinkStart start_;
  Cancellation cancellation_;
  TaskGroup tasks_;
  Phase phase_ = Phase::calling;
  std::unique_ptr<ByteStream> stream_;
  ByteStream* in_clear_ = nullptr;  // while TLS begins, which has the stream
  wire::FrameReader frames_;
  ServerPicture picture_;
  LinkLogin login_;
  std::optional<Goodbye> goodbye_;
  bool is_writing_ = false;
  bool is_started_ = false;  // the server may have a session of it
  bool is_ready_ = false;
  bool is_gone_ = false;
  bool is_silent_ = false;
  bool is_secured_ = false;
  bool may_try_next_ = false;
  bool may_try_in_clear_ = false;
};

}  // namespace forebay::proxy
