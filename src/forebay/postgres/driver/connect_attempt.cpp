// libpq's connect dance, with each of its steps on the thread where it belongs.
#include "forebay/postgres/driver/connect_attempt.hpp"

#include <libpq-fe.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"
#include "forebay/postgres/driver/session_options.hpp"
#include "forebay/postgres/driver/values_in_force.hpp"

namespace forebay::postgres {

void ConnectAttempt::add_to_options(ConnectionString& target) {
  std::string options = with_settings(own_options_, settings_);
  if (plan_) {
    told_.emplace(*plan_, options);
    options = told_->options();
  }
  if (options == own_options_) return;
  const Result<void> is_set = target.set("options", std::move(options));
  FOREBAY_CHECK(is_set.has_value(), "libpq has no options");
}

void ConnectAttempt::start() {
  if (is_cancelled_) return;
  const NoFork whole_step;  // libpq has locks, and those of Kerberos and OpenSSL
  if (!hosts_) {
    const ValuesInForce values(target_);
    hosts_.emplace(values.hosts());
    own_options_ = values.get("options");
    if (hosts_->needs_lookup()) return;
  }
  ConnectionString target = target_;
  add_to_options(target);
  const KeywordArrays arrays = target.arrays();
  handle_.reset(PQconnectStartParams(arrays.keywords.data(), arrays.values.data(), 0));
  if (!handle_) return;
  ignore_notices(handle_.get());
  listener_.start(handle_.get());
  PQsetErrorVerbosity(handle_.get(), PQERRORS_VERBOSE);  // shows the SQLSTATE, see connect_error()
}

ConnectAttempt::Progress ConnectAttempt::poll() {
  const NoFork whole_step;
  switch (PQconnectPoll(handle_.get())) {
    case PGRES_POLLING_OK: return Progress::connected;
    case PGRES_POLLING_READING: return Progress::wants_read;
    case PGRES_POLLING_WRITING: return Progress::wants_write;
    default: return Progress::failed;
  }
}

Task<Result<void>> ConnectAttempt::begin(Instant deadline) {
  auto start_work = [this] { start(); };
  co_await run_on(env_.lane, env_.scheduler, start_work);
  if (hosts_ && hosts_->needs_lookup() && !is_cancelled_) {
    const Result<void> found = co_await lookup_.run(*hosts_, deadline);
    if (is_cancelled_) co_return failure(Errc::closed, "the connector was closed");
    if (!found) co_return failure(found.error());
    hosts_->write_to(target_);
    co_await run_on(env_.lane, env_.scheduler, start_work);
  }
  if (is_cancelled_) co_return failure(Errc::closed, "the connector was closed");
  if (!handle_) co_return failure(Errc::connect_failed, "libpq is out of memory");
  co_return Result<void>();
}

Task<Result<void>> ConnectAttempt::run(Instant deadline) {
  const Result<void> begun = co_await begin(deadline);
  if (!begun) co_return failure(begun.error());
  Progress progress =
      PQstatus(handle_.get()) != CONNECTION_BAD ? Progress::wants_write : Progress::failed;
  auto poll_work = [this, &progress] { progress = poll(); };
  for (;;) {
    const Result<void> followed = follow_socket();
    if (is_cancelled_) co_return failure(Errc::closed, "the connector was closed");
    if (progress == Progress::failed) co_return failure(explain_failure());
    if (!followed) co_return failure(followed.error());
    if (progress == Progress::connected) co_return Result<void>();
    const Result<void> ready = co_await wait_for(progress, deadline);
    if (!ready) co_return failure(ready.error());
    co_await run_on(env_.lane, env_.scheduler, poll_work);
  }
}

Result<void> ConnectAttempt::follow_socket() {
  const int descriptor = PQsocket(handle_.get());
  if (socket_ && descriptor >= 0 && socket_->is_same_socket(descriptor)) return {};
  if (socket_) given_up_.push_back(std::move(socket_));
  if (descriptor < 0) return failure(Errc::connect_failed, "libpq has no socket");
  Result<std::unique_ptr<SessionSocket>> shared =
      SessionSocket::share(env_.descriptors, descriptor);
  if (!shared) return failure(shared.error());
  socket_ = std::move(*shared);
  return {};
}

Task<Result<void>> ConnectAttempt::wait_for(Progress progress, Instant deadline) {
  const bool is_read = progress == Progress::wants_read;
  const Result<void> ready =
      co_await socket_->wait(is_read ? Readiness::readable : Readiness::writable, deadline);
  if (is_cancelled_) co_return failure(Errc::closed, "the connector was closed");
  if (ready) co_return Result<void>();
  if (ready.error().code() != Errc::timed_out) co_return failure(ready.error());
  co_return failure(Errc::timed_out,
                    "no connection before the deadline: the server does not answer");
}

void ConnectAttempt::cancel() {
  is_cancelled_ = true;
  lookup_.cancel();
  if (socket_) socket_->cancel();
}

Error ConnectAttempt::explain_failure() const {
  Error error = connect_error(hosts_->with_names(PQerrorMessage(handle_.get())), target_);
  if (lookup_.complaints().empty()) return error;
  return error.with_text(error.text() + "; " + lookup_.complaints());
}

void ConnectAttempt::give_up() {
  const bool is_silent = handle_ && is_lost_in_silence(handle_.get());
  handle_.reset();
  if (!socket_) return;
  if (is_silent) socket_->note_silence();
  given_up_.push_back(std::move(socket_));
}

Task<bool> ConnectAttempt::wait_for_given_up(ServerNotice server, Instant deadline) {
  while (!given_up_.empty()) {
    const bool is_gone =
        co_await given_up_.back()->wait_until_gone(env_.scheduler, server, deadline);
    if (!is_gone) co_return false;
    given_up_.pop_back();
  }
  co_return true;
}

}  // namespace forebay::postgres
