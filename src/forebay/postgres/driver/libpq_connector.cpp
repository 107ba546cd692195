// Keeps the list of attempts, so that close() finds them, and turns a successful one
// into a connection.
#include "forebay/postgres/driver/libpq_connector.hpp"

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"
#include "forebay/postgres/driver/session_options.hpp"

namespace forebay::postgres {

// An attempt is on the list for as long as connect() runs, or until close() has taken it off.
class LibpqConnector::Registration {
 public:
  Registration(LibpqConnector& connector, ConnectAttempt& attempt)
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
  LibpqConnector& connector_;
  ConnectAttempt& attempt_;
};

LibpqConnector::LibpqConnector(const LibpqEnv& env, ConnectionString target, ServerProfile profile,
                               const LibpqSettings& settings)
    : env_(env), target_(std::move(target)), profile_(std::move(profile)), settings_(settings) {
  set_keywords(target_, settings_.session_settings);
  if (settings.server_notices_after != Duration::max()) {
    plan_ = plan_notice(settings.server_notices_after);
    set_notice(target_, plan_);
    // Options of a service are in a file that only libpq reads, and ours would hide them.
    const bool has_service = !target_.get("service").empty();
    if (profile_.knows_notice) telling_ = has_service ? Telling::by_statement : Telling::in_options;
  }
  const std::string_view mode = target_.get("sslmode");
  const bool allows_plain =
      mode.empty() || mode == "disable" || mode == "allow" || mode == "prefer";
  if (profile_.requires_tls && allows_plain) {
    const Result<void> is_set = target_.set("sslmode", "require");
    FOREBAY_CHECK(is_set.has_value(), "libpq has no sslmode");
  }
}

LibpqConnector::~LibpqConnector() {
  FOREBAY_CHECK(running_ == 0, "a connector died before its attempts");
}

Task<Result<std::unique_ptr<Connection>>> LibpqConnector::connect(std::string password,
                                                                  Instant deadline) {
  if (is_closed_) co_return failure(Errc::closed, "the connector is closed");
  ConnectionString target = target_;
  if (!password.empty()) {
    const Result<void> is_set = target.set("password", std::move(password));
    if (!is_set) co_return failure(is_set.error());
  }
  std::optional<NoticePlan> plan;
  if (telling_ == Telling::in_options) plan = plan_;
  ConnectAttempt attempt(env_, std::move(target), plan, settings_.session_settings);
  const Registration registration(*this, attempt);
  const Result<void> outcome = co_await attempt.run(deadline);
  if (!outcome) attempt.give_up();
  co_await wait_until_gone(attempt);
  if (!outcome) co_return failure(explain(outcome.error(), plan.has_value()));
  co_return co_await finish(attempt, deadline);
}

// A look a second whether to go on waiting.
Instant LibpqConnector::next_look(Instant give_up_at) const {
  return std::min(give_up_at, env_.scheduler.now() + std::chrono::seconds(1));
}

Task<void> LibpqConnector::wait_until_gone(ConnectAttempt& attempt) {
  const ServerNotice server = notice_of_attempts();
  const Instant give_up_at = deadline_after(env_.scheduler.now(), settings_.give_up_after);
  bool is_gone = false;
  do {
    is_gone = co_await attempt.wait_for_given_up(server, next_look(give_up_at));
  } while (!is_gone && waits_on(give_up_at));
}

Task<void> LibpqConnector::wait_until_gone(LibpqConnection& connection) {
  const Instant give_up_at = deadline_after(env_.scheduler.now(), settings_.give_up_after);
  bool is_gone = false;
  do {
    is_gone = co_await connection.close(next_look(give_up_at));
  } while (!is_gone && waits_on(give_up_at));
}

// A session that has not begun is ended by authentication_timeout, unless the administrator has
// chosen longer; one of which only we do not know that it has begun, as any other.
ServerNotice LibpqConnector::notice_of_attempts() const {
  static constexpr Duration kAuthentication = std::chrono::seconds(60);
  ServerNotice known;
  known.longest_work = settings_.longest_work;
  if (telling_ != Telling::in_options) return known;
  known.check_interval = plan_.check_interval;
  known.silence = std::max(plan_.silence(), kAuthentication);
  return known;
}

// Not tried again here: each attempt needs a permit of its own. After a change of how the server is
// told, the next one fares better, whatever its code says, and those that were under way with the
// same settings were no worse.
Error LibpqConnector::explain(Error error, bool was_told) {
  const std::string setting = setting_in(error, settings_.session_settings);
  if (!setting.empty()) {
    return error.with_text(fmt::format(
        "{}; {} is one of the pool's session_settings, which are sent with the start of a session: "
        "leave it out, or set it in after_connect",
        error.text(), setting));
  }
  if (!is_refusal_of_settings(error)) return error;
  if (!was_told && !settings_.session_settings.empty()) {
    return error.with_text(error.text() +
                           "; the pool's session_settings are sent as options with the start of a "
                           "session: a pooler has to let them pass, or after_connect to set them");
  }
  if (!was_told) return error;
  telling_ = Telling::by_statement;
  return Error(Errc::connect_failed, class_of(Errc::connect_failed),
               error.text() +
                   "; from now on the settings that tell the server how soon to miss us "
                   "are sent by a statement",
               error.sqlstate());
}

Task<Result<std::unique_ptr<Connection>>> LibpqConnector::finish(ConnectAttempt& attempt,
                                                                 Instant deadline) {
  const std::optional<CancelKey> key = attempt.take_key();
  auto opened = std::make_unique<LibpqConnection>(env_.scheduler, attempt.take_handle(),
                                                  attempt.take_socket(), profile_);
  opened->set_options(settings_.session);
  opened->set_call_timeout(settings_.call_timeout);
  opened->set_observation(settings_.observation);
  if (key) opened->set_cancel_key(*key);
  ServerNotice known;
  known.longest_work = settings_.longest_work;
  opened->set_notice(known);
  known = ServerNotice::of(plan_);
  known.longest_work = settings_.longest_work;
  if (attempt.told() && attempt.told()->is_complete()) opened->set_notice(known);
  if (telling_ == Telling::by_statement && !attempt.told()) {
    const std::string own =
        with_settings(std::string(target_.get("options")), settings_.session_settings);
    const NoticeSettings settings(plan_, own);
    const Result<void> told = co_await opened->set_notice_settings(settings, known, deadline);
    if (!told) {
      co_await wait_until_gone(*opened);
      co_return failure(told.error());
    }
  }
  std::unique_ptr<Connection> connection = std::move(opened);
  co_return connection;
}

void LibpqConnector::close() {
  is_closed_ = true;
  // Off the list first: a cancelled attempt may end, and take itself off, inside the call.
  while (ConnectAttempt* attempt = attempts_.pop_front()) attempt->cancel();
}

}  // namespace forebay::postgres
