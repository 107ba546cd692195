// How a client gets in: TLS, the start-up packet, the door, its token, its greeting.
#include <algorithm>

#include <fmt/format.h>

#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/log.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/standin/session_flow.hpp"
#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/bytes.hpp"

namespace forebay::standin {

namespace {

using wire::ErrorReport;
using wire::Severity;

constexpr std::string_view kProtocol = "postgresql";

// AWS's documentation has the words and no SQLSTATE.
ErrorReport sni_missing() {
  return {Severity::fatal, "08004", "unable to accept connection, sni was not received"};
}
ErrorReport waking_up() {
  return {Severity::fatal, "57P03",
          "unable to accept connection, waking up cluster, please retry later"};
}
ErrorReport tls_missing() {
  return {Severity::fatal, "08004", "unable to accept connection, TLS is required",
          "use sslmode=require at least; verify-full is better"};
}

}  // namespace

Task<bool> SessionFlow::log_in() {
  const Instant deadline = after(around_.options.log_in_limit);
  if (around_.chaos.is_away(scheduler_.now())) {
    hang_up();
    co_return false;
  }
  if (around_.chaos.connect_delay() > Duration::zero())
    co_await sleep_for(scheduler_, around_.chaos.connect_delay());
  bool is_good = co_await secure(deadline);
  if (is_good) is_good = co_await introduce(deadline);
  if (is_good) is_good = co_await authenticate(deadline);
  if (is_good) is_good = co_await welcome(deadline);
  co_return is_good && !is_ending_;
}

Task<bool> SessionFlow::secure(Instant deadline) {
  for (;;) {
    // First: as a packet of the protocol it would be one of an impossible length.
    if (wire::begins_with_tls(reader_->unread()))
      co_return co_await begin_tls(TlsOpening::direct, deadline);
    const wire::Frame frame = reader_->next();
    if (frame.kind == wire::Frame::Kind::broken) co_return false;
    if (frame.kind == wire::Frame::Kind::whole) {
      bool is_secured = false;
      const bool goes_on = co_await answer_in_clear(frame.body, deadline, is_secured);
      if (!goes_on || is_secured) co_return goes_on;
      continue;
    }
    const Result<std::size_t> got = co_await stream_->read(reader_->room(), deadline);
    if (!got || *got == 0) {
      is_client_gone_ = true;
      co_return false;
    }
    reader_->add(*got);
  }
}

Task<bool> SessionFlow::answer_in_clear(std::string_view body, Instant deadline, bool& is_secured) {
  const Result<wire::StartupPacket> packet = wire::parse_startup(body);
  if (!packet) co_return refuse(wire::report_of(packet.error(), Severity::fatal));
  if (std::holds_alternative<wire::StartupView>(*packet)) co_return refuse(tls_missing());
  // Aurora DSQL is said to do nothing about cancels.
  if (std::holds_alternative<wire::CancelKeyView>(*packet)) co_return false;
  const bool wants_tls = std::holds_alternative<wire::SslRequest>(*packet);
  const ConstBytes answer = wire::bytes_of(wants_tls ? "S" : "N");
  const Result<void> sent = co_await stream_->write(std::span(&answer, 1), deadline);
  is_client_gone_ = !sent;
  if (!sent) co_return false;
  is_secured = wants_tls;
  if (wants_tls) co_return co_await begin_tls(TlsOpening::negotiated, deadline);
  co_return true;
}

Task<bool> SessionFlow::begin_tls(TlsOpening opening, Instant deadline) {
  in_clear_ = stream_.get();
  Result<std::unique_ptr<ByteStream>> secured = co_await around_.tls.accept(
      std::move(stream_), opening, std::as_bytes(std::span(reader_->unread())), deadline);
  in_clear_ = nullptr;
  if (!secured) {
    is_client_gone_ = true;
    log::warning("No TLS with a client", {log::field("reason", secured.error().text())});
    co_return false;
  }
  stream_ = std::move(*secured);
  if (is_ending_) co_return false;
  // PostgreSQL's own rule: or a client of another protocol could be led here.
  if (opening == TlsOpening::direct && stream_->peer().protocol != kProtocol) {
    log::warning("No TLS with a client",
                 {log::field("reason", "direct TLS needs ALPN with \"postgresql\"")});
    hang_up();
    co_return false;
  }
  wire::FrameOptions options;
  options.sender = wire::Sender::client;
  options.whole = kWholeFromClient;
  options.longest_whole = std::size_t{kLongestMessage} + 1;
  reader_ = std::make_unique<wire::FrameReader>(options);
  co_return true;
}

Task<bool> SessionFlow::introduce(Instant deadline) {
  const wire::Frame frame = co_await next_frame(deadline);
  if (frame.kind == wire::Frame::Kind::none) co_return false;
  if (frame.kind == wire::Frame::Kind::broken)
    co_return refuse(wire::report_of(reader_->problem(), Severity::fatal));
  const Result<wire::StartupPacket> packet = wire::parse_startup(frame.body);
  if (!packet) co_return refuse(wire::report_of(packet.error(), Severity::fatal));
  const auto* const view = std::get_if<wire::StartupView>(&*packet);
  if (view == nullptr) co_return false;  // a cancel; or TLS in TLS
  co_return take_startup(*view);
}

bool SessionFlow::take_startup(const wire::StartupView& packet) {
  if (around_.chaos.take_wake_up()) return refuse(waking_up());
  if (around_.options.failed_attempts_pay && !enter()) return false;
  const std::string& name = stream_->peer().server_name;
  if (name.empty()) return refuse(sni_missing());
  if (!is_known_name(name)) return refuse(access_denied(), "nobody here is called " + name);
  const wire::Negotiation negotiation(packet);
  if (negotiation.must_be_told) wire::write_negotiation(to_client_, negotiation);
  if (const auto refusal = read_start(packet, around_.rules, start_)) return refuse(*refusal);
  reader_->expect_messages();
  wire::write_authentication(to_client_, wire::AuthenticationKind::cleartext);
  return true;
}

bool SessionFlow::is_known_name(std::string_view name) const {
  return std::ranges::any_of(around_.options.names, [name](const std::string& ours) {
    return aws::plain_host(ours) == aws::plain_host(name);
  });
}

// A place in the bucket, and one among the sessions.
bool SessionFlow::enter() {
  const Admission admission = around_.door.admit(around_.counters.sessions, scheduler_.now());
  if (admission == Admission::accepted) {
    ++around_.counters.sessions;
    is_counted_ = true;
    return true;
  }
  ++(admission == Admission::over_cap ? around_.counters.over_cap : around_.counters.over_rate);
  wire::write_error(to_client_, wire::report_of(refusal_at_door(admission), Severity::fatal));
  return false;
}

Task<bool> SessionFlow::authenticate(Instant deadline) {
  const bool is_asked = co_await send_to_client();
  if (!is_asked) co_return false;
  const wire::Frame frame = co_await next_frame(deadline);
  if (frame.kind == wire::Frame::Kind::none) co_return false;
  if (frame.kind != wire::Frame::Kind::whole ||
      frame.type != static_cast<char>(wire::ClientMessage::password))
    co_return refuse(ErrorReport(Severity::fatal, "08P01", "expected password response"));
  co_return co_await take_password(frame.body);
}

Task<bool> SessionFlow::take_password(std::string_view body) {
  const Result<std::string_view> password = wire::parse_password(body);
  if (!password) co_return refuse(wire::report_of(password.error(), Severity::fatal));
  if (around_.chaos.refuses_tokens()) co_return refuse(access_denied(), "all tokens are refused");
  const std::optional<TokenRefusal> refusal =
      check_token(*password, start_.user, stream_->peer().server_name, around_.options.realm,
                  around_.env.wall_clock.now());
  if (refusal) co_return refuse(access_denied(refusal->hint), refusal->reason);
  const std::string_view arn = signer_of(*password, around_.options.realm);
  if (!arn.empty()) {
    const bool may_be = co_await check_role(std::string(arn));
    if (!may_be) co_return false;
  }
  co_return is_counted_ || enter();
}

// Who may be admin is said by policies of IAM, which we have not: only the key that is nobody's.
Task<bool> SessionFlow::check_role(std::string arn) {
  if (start_.user == "admin") co_return refuse(access_denied(), arn + " is not the admin");
  const Result<bool> is_granted = co_await around_.options.mappings->has(start_.user, arn);
  if (is_ending_) co_return false;
  if (!is_granted) {
    co_return refuse(ErrorReport(Severity::fatal, "XX000", "server unavailable"),
                     is_granted.error().text());
  }
  if (*is_granted) co_return true;
  co_return refuse(access_denied(), fmt::format("{} is not granted to {}", start_.user, arn));
}

// The first session of a role begins at once: that shows whether there is such a role.
Task<bool> SessionFlow::welcome(Instant deadline) {
  session_ = std::make_unique<StandinSession>(around_.rules, around_.world, around_.command);
  if (const auto greeting = around_.backend.greeting_for(start_)) {
    greet(*greeting);
  } else {
    const Result<void> attached = co_await attach(deadline);
    if (is_ending_) co_return false;
    if (!attached && attached.error().code() == Errc::refused)
      co_return refuse(access_denied(), attached.error().text());
    if (!attached) {
      co_return refuse(ErrorReport(Severity::fatal, "XX000", "server unavailable"),
                       attached.error().text());
    }
    greet(reported_);
  }
  ++around_.counters.accepted;
  const bool is_told = co_await send_to_client();
  // From here on that task alone writes to the client.
  if (is_told && server_ != nullptr) tasks_.spawn(follow_server());
  co_return is_told;
}

void SessionFlow::greet(const proxy::Parameters& greeting) {
  wire::write_authentication(to_client_, wire::AuthenticationKind::ok);
  for (const auto& [name, value] : greeting) wire::write_parameter_status(to_client_, name, value);
  wire::write_backend_key_data(to_client_, {1, "none"});  // nobody can cancel
  wire::write_ready_for_query(to_client_, wire::TransactionStatus::idle);
}

// It is sent when the client leaves.
bool SessionFlow::refuse(const ErrorReport& report, std::string_view reason) {
  wire::write_error(to_client_, report);
  ++around_.counters.denied;
  log::warning(
      "Client refused",
      {log::field("client", stream_->peer().address), log::field("sqlstate", report.sqlstate),
       log::field("message", report.message), log::field("reason", reason)});
  return false;
}

}  // namespace forebay::standin
