// Keeps the list of attempts, so that close() finds them, and turns a successful one
// into a connection.
#include "forebay/postgres/libpq_connector.hpp"

#include "forebay/base/check.hpp"
#include "forebay/postgres/libpq_connection.hpp"

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

LibpqConnector::LibpqConnector(const LibpqEnv& env, ConnectionString target, ServerProfile profile)
    : env_(env), target_(std::move(target)), profile_(std::move(profile)) {
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
  ConnectAttempt attempt(env_, std::move(target));
  const Registration registration(*this, attempt);
  const Result<void> outcome = co_await attempt.run(deadline);
  const Instant goodbye = deadline_after(env_.scheduler.now(), kGoodbye);
  if (!outcome) {
    co_await attempt.clean_up(goodbye);
    co_return failure(outcome.error());
  }
  co_await attempt.see_off_given_up(goodbye);
  std::unique_ptr<Connection> connection = std::make_unique<LibpqConnection>(
      env_.scheduler, attempt.take_handle(), attempt.take_socket(), profile_);
  co_return connection;
}

void LibpqConnector::close() {
  is_closed_ = true;
  // Off the list first: a cancelled attempt may end, and take itself off, inside the call.
  while (ConnectAttempt* attempt = attempts_.pop_front()) attempt->cancel();
}

}  // namespace forebay::postgres
