// How a client gets in: start-up packets, its route, its welcome.
#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/proxy/client_flow.hpp"

namespace forebay::proxy {

// Everything before messages, and the welcome.
Task<bool> ClientFlow::log_in() {
  const Instant deadline = after(around_.log_in_limit);
  bool is_in = false;
  for (;;) {
    const wire::Frame frame = reader_.next();
    if (frame.kind == wire::Frame::Kind::none) {
      // TLS from the first byte: there is none here yet, and no other answer to it than the end.
      if (wire::begins_with_tls(reader_.unread())) {
        note_refusal("08P01", "it began with TLS, and there is none here");
        co_return false;
      }
      const Result<std::size_t> got = co_await stream_->read(reader_.room(), deadline);
      if (!got && got.error().code() == Errc::timed_out) {
        refuse_silent_start();
        co_return false;
      }
      if (!got || *got == 0) {
        is_client_gone_ = true;
        co_return false;
      }
      reader_.add(*got);
      continue;
    }
    if (frame.kind == wire::Frame::Kind::broken) {
      refuse(wire::report_of(reader_.problem(), wire::Severity::fatal));
      co_return false;
    }
    const bool goes_on = co_await take_startup(frame.body, deadline, is_in);
    if (!goes_on || is_in) co_return goes_on;
  }
}

// False: this client is done.
Task<bool> ClientFlow::take_startup(std::string_view body, Instant deadline, bool& is_in) {
  const Result<wire::StartupPacket> packet = wire::parse_startup(body);
  if (!packet) {
    refuse(wire::report_of(packet.error(), wire::Severity::fatal));
    co_return false;
  }
  if (std::holds_alternative<wire::SslRequest>(*packet) ||
      std::holds_alternative<wire::GssRequest>(*packet)) {
    const bool is_sent = co_await answer_byte('N', deadline);
    co_return is_sent;
  }
  if (const auto* const key = std::get_if<wire::CancelKeyView>(&*packet)) {
    // Its sender waits for us to hang up: then the server has taken it.
    ClientFlow* const client = around_.cancels.find(*key);
    if (client != nullptr) co_await client->cancel_statement();
    co_return false;
  }
  is_in = co_await begin(std::get<wire::StartupView>(*packet), deadline);
  co_return is_in;
}

Task<bool> ClientFlow::answer_byte(char answer, Instant deadline) {
  const ConstBytes byte = wire::bytes_of(std::string_view(&answer, 1));
  const Result<void> sent = co_await stream_->write(std::span(&byte, 1), deadline);
  is_client_gone_ = !sent;
  co_return sent.has_value();
}

Task<bool> ClientFlow::begin(const wire::StartupView& start, Instant deadline) {
  if (start.is_replication()) {
    refuse({wire::Severity::fatal, "0A000", "replication is not possible through the proxy",
            "connect to the server itself"});
    co_return false;
  }
  const Result<Route*> route = around_.routes.find(start.database(), start.user());
  if (!route) {
    wire::ErrorReport report = wire::report_of(route.error(), wire::Severity::fatal);
    report.hint = route.error().hint();
    refuse(report);
    co_return false;
  }
  const wire::Negotiation negotiation(start);
  if (negotiation.must_be_told) wire::write_negotiation(out_.to_client, negotiation);
  entry_.emplace(around_.cancels, *this, negotiation.version);
  go_by(**route);
  session_ = std::make_unique<ClientSession>(route_->shared(), introduction(start));
  reader_.expect_messages();

  if (route_->greeting() == nullptr) {
    Result<PooledConnection> first = take_ready();
    if (!*first) first = co_await stand_in_line(deadline);
    if (is_client_gone_ || is_ending_) co_return false;
    if (!first) {
      refuse(wire::report_of(first.error(), wire::Severity::fatal));
      co_return false;
    }
  }
  Verdict verdict = session_->begin(*route_->greeting(), out_);
  if (verdict == Verdict::acquire) {
    PooledConnection ready = take_ready();
    const Result<void> brought = co_await bring_server(std::move(ready), deadline);
    if (is_client_gone_ || is_ending_) co_return false;
    if (!brought) verdict = session_->fail_unit(brought.error(), out_);
    if (stay_ != nullptr && session_->may_release()) co_await end_stay();
  }
  ++counters_->logins;
  if (verdict == Verdict::end) co_return false;
  const bool is_welcomed = co_await send_to_client();
  to_client_.shrink(out_.to_client);
  co_return is_welcomed;
}

// From now on it is counted there.
void ClientFlow::go_by(Route& route) {
  --counters_->clients;
  route_ = &route;
  counters_ = &route.clients();
  ++counters_->clients;
}

ClientStart ClientFlow::introduction(const wire::StartupView& start) const {
  ClientStart introduction;
  for (const auto& [name, value] : start.parameters)
    introduction.parameters.emplace_back(name, value);
  introduction.process = entry_->key().process;
  introduction.cancel_key = entry_->key().key;
  return introduction;
}

// It is sent when the client leaves.
void ClientFlow::refuse(const wire::ErrorReport& report) {
  const bool can_hear = session_ == nullptr || !session_->is_in_answer();
  if (can_hear) wire::write_error(out_.to_client, report);
  note_refusal(report.sqlstate, report.message);
}

void ClientFlow::refuse_to_go_on() {
  refuse({wire::Severity::fatal, "57P01", "terminating connection due to administrator command",
          "the proxy is ending; connect again"});
}

// In the words of PostgreSQL. A read that was only woken was so because the proxy ends.
void ClientFlow::refuse_silent_start() {
  if (is_asked_to_leave_) return refuse_to_go_on();
  refuse({wire::Severity::fatal, "57014", "canceling authentication due to timeout"});
}

void ClientFlow::note_refusal(const std::string& sqlstate, const std::string& reason) const {
  if (session_ == nullptr || !session_->is_welcome()) ++counters_->refused;
  log::warning("Client refused", {log::field("client", stream_->peer().address),
                                  log::field("sqlstate", sqlstate), log::field("reason", reason)});
}

}  // namespace forebay::proxy
