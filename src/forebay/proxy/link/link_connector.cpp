#include "forebay/proxy/link/link_connector.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/secret_text.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/session_options.hpp"
#include "forebay/wire/auth/base64.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {
namespace {

using postgres::NoticeSettings;
using ConnectionResult = Result<std::unique_ptr<Connection>>;

// 24 bytes in base64.
std::string make_nonce(Random& random) {
  std::string bytes;
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t number = random.next();
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return wire::base64_of(bytes);
}

// Each server gets an equal part of the time that is left, so that one that is silent leaves some
// for the others.
Instant part_of(Instant now, Instant deadline, std::size_t places) {
  if (deadline == kNever || deadline <= now) return deadline;
  return now + (deadline - now) / static_cast<std::int64_t>(places);
}

}  // namespace

// An attempt is on the list for as long as it runs, or until close() has taken it off.
class LinkConnector::Registration {
 public:
  Registration(LinkConnector& connector, LinkAttempt& attempt)
      : connector_(connector), attempt_(attempt) {
    connector_.attempts_.push_back(attempt_);
    ++connector_.running_;
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    if (attempt_.link.is_linked()) connector_.attempts_.erase(attempt_);
    --connector_.running_;
  }

 private:
  LinkConnector& connector_;
  LinkAttempt& attempt_;
};

struct LinkConnector::Tried {
  Tried(ConnectionResult result, bool goes_on)
      : outcome(std::move(result)), may_try_next(goes_on) {}
  ConnectionResult outcome;
  bool may_try_next;
};

LinkConnector::LinkConnector(const LinkEnv& env, LinkTarget target, postgres::ServerProfile profile,
                             const LinkSettings& settings)
    : env_(env), target_(std::move(target)), profile_(std::move(profile)), settings_(settings) {
  FOREBAY_CHECK(!target_.places.empty(), "a target leads nowhere");
  for (const auto& [name, value] : settings_.session_settings) {
    const std::string_view keyword = postgres::keyword_of(name);
    if (keyword.empty()) continue;
    std::erase_if(target_.parameters, [&](const auto& other) { return other.first == keyword; });
    target_.parameters.emplace_back(keyword, value);
  }
  target_.options = postgres::with_settings(target_.options, settings_.session_settings);
  if (settings.server_notices_after != Duration::max()) {
    plan_ = plan_notice(settings.server_notices_after);
    if (profile_.knows_notice) telling_ = Telling::in_options;
  }
  if (profile_.requires_tls) target_.tls = LinkTls::require;
}

LinkConnector::~LinkConnector() {
  FOREBAY_CHECK(running_ == 0, "a connector died before its attempts");
}

Task<ConnectionResult> LinkConnector::connect(std::string password, Instant deadline) {
  if (is_closed_) co_return failure(Errc::closed, "the connector is closed");
  if (password.contains('\0')) co_return failure(Errc::invalid, "a password has no zero bytes");
  const bool was_told = telling_ == Telling::in_options;
  const std::string packet = startup_packet();
  std::string complaints;
  for (std::size_t i = 0;; ++i) {
    LinkPlace place = target_.places[i];
    if (!password.empty()) place.password = password;
    const std::string secret = place.password;
    const std::size_t left = target_.places.size() - i;
    const Instant until = part_of(env_.scheduler.now(), deadline, left);
    Tried tried = co_await try_place(std::move(place), packet, until);
    if (tried.outcome) co_return std::move(tried.outcome);
    Error error = tried.outcome.error();
    error = error.with_text(without_secret(complaints + error.text(), secret));
    const bool is_last = left == 1 || !tried.may_try_next || is_closed_;
    if (is_last) co_return failure(explain(std::move(error), was_told));
    complaints = error.text() + "; ";
  }
}

// In the clear a second time, where TLS is only preferred.
Task<LinkConnector::Tried> LinkConnector::try_place(LinkPlace place, std::string packet,
                                                    Instant deadline) {
  LinkTls tls = target_.tls;
  if (tls == LinkTls::prefer && env_.tls == nullptr) tls = LinkTls::disable;
  for (;;) {
    LinkStart start(place, tls, packet, credentials(place.password));
    LinkAttempt attempt(env_, std::move(start));
    const Registration registration(*this, attempt);
    const Result<void> outcome = co_await attempt.run(deadline);
    if (outcome) {
      keep_keys(attempt, place.password);
      ConnectionResult opened = co_await finish(attempt, deadline);
      co_return Tried(std::move(opened), false);
    }
    co_await wait_until_gone(attempt);
    if (!attempt.may_try_in_clear() || is_closed_)
      co_return Tried(failure(outcome.error()), attempt.may_try_next());
    tls = LinkTls::disable;
  }
}

Task<ConnectionResult> LinkConnector::finish(LinkAttempt& attempt, Instant deadline) {
  LinkParts parts = attempt.take_parts();
  parts.profile = profile_;
  parts.notice =
      notice_of_sessions(telling_ == Telling::in_options && notice_settings().is_complete());
  auto opened = std::make_unique<ServerLink>(std::move(parts));
  if (telling_ == Telling::by_statement) {
    const Result<void> told = co_await tell_by_statement(*opened, deadline);
    if (!told) {
      co_await wait_until_gone(*opened);
      co_return failure(told.error());
    }
  }
  std::unique_ptr<Connection> connection = std::move(opened);
  co_return connection;
}

Task<Result<void>> LinkConnector::tell_by_statement(ServerLink& opened, Instant deadline) {
  const NoticeSettings settings = notice_settings();
  const Result<std::size_t> told = co_await opened.run(settings.statement(), deadline);
  if (!told && !opened.is_usable()) co_return failure(told.error());
  if (!told || *told == 0) co_return Result<void>();
  opened.set_session_statement(settings.statement());
  const bool knows_all = *told == static_cast<std::size_t>(settings.count());
  opened.set_notice(notice_of_sessions(knows_all && settings.is_complete()));
  co_return Result<void>();
}

// A look a second whether to go on waiting.
template <class Session>
Task<void> LinkConnector::wait_until_gone(Session& session) {
  const Instant give_up_at = deadline_after(env_.scheduler.now(), settings_.give_up_after);
  for (;;) {
    const Instant now = env_.scheduler.now();
    const Instant look_at = std::min(give_up_at, deadline_after(now, std::chrono::seconds(1)));
    bool is_gone = false;
    if constexpr (std::is_same_v<Session, LinkAttempt>) {
      is_gone = co_await session.wait_until_gone(notice_of_attempts(), look_at);
    } else {
      is_gone = co_await session.close(look_at);
    }
    if (is_gone || gives_up_ || env_.scheduler.now() >= give_up_at) co_return;
  }
}

std::string LinkConnector::startup_packet() const {
  const std::string options =
      telling_ == Telling::in_options ? notice_settings().options() : target_.options;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
  parameters.emplace_back("user", target_.user);
  parameters.emplace_back("database", target_.database);
  if (!options.empty()) parameters.emplace_back("options", options);
  for (const auto& [name, value] : target_.parameters) parameters.emplace_back(name, value);
  std::string packet;
  wire::write_startup(packet, wire::kVersion30, parameters);
  return packet;
}

wire::ClientCredentials LinkConnector::credentials(const std::string& password) {
  wire::ScramClientOptions scram(make_nonce(env_.secure_random));
  scram.password = password;
  if (keys_ && password_of_keys_ == password) scram.known = keys_;
  return wire::ClientCredentials(target_.user, std::move(scram));
}

void LinkConnector::keep_keys(const LinkAttempt& attempt, const std::string& password) {
  if (!attempt.derived_keys()) return;
  keys_ = attempt.derived_keys();
  password_of_keys_ = password;
}

NoticeSettings LinkConnector::notice_settings() const {
  return NoticeSettings(plan_, target_.options);
}

// A session that has not begun is ended by authentication_timeout, unless the administrator has
// chosen longer; one of which only we do not know that it has begun, as any other.
ServerNotice LinkConnector::notice_of_attempts() const {
  static constexpr Duration kAuthentication = std::chrono::seconds(60);
  ServerNotice known = notice_of_sessions(telling_ == Telling::in_options);
  if (known.silence) known.silence = std::max(*known.silence, kAuthentication);
  return known;
}

ServerNotice LinkConnector::notice_of_sessions(bool is_told) const {
  ServerNotice known = is_told ? ServerNotice::of(plan_) : ServerNotice();
  known.longest_work = settings_.longest_work;
  return known;
}

// Not tried again here: each attempt needs a permit of its own. After a change of how the server is
// told, the next one fares better, whatever its code says, and those that were under way with the
// same settings were no worse.
Error LinkConnector::explain(Error error, bool was_told) {
  const std::string setting = postgres::setting_in(error, settings_.session_settings);
  if (!setting.empty()) {
    return error.with_text(fmt::format(
        "{}; {} is one of the pool's session_settings, which are sent with the start of a session: "
        "leave it out",
        error.text(), setting));
  }
  if (!was_told || !postgres::is_refusal_of_settings(error)) return error;
  telling_ = Telling::by_statement;
  return Error(Errc::connect_failed, class_of(Errc::connect_failed),
               error.text() +
                   "; from now on the settings that tell the server how soon to miss us "
                   "are sent by a statement",
               error.sqlstate());
}

void LinkConnector::close() {
  is_closed_ = true;
  // Off the list first: a cancelled attempt may end, and take itself off, inside the call.
  while (LinkAttempt* attempt = attempts_.pop_front()) attempt->cancel();
}

}  // namespace forebay::proxy
