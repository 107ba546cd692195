#include "forebay/proxy/session/client_session.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/session/statement_texts.hpp"
#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {
namespace {

constexpr std::string_view kApplicationName = "application_name";

// As the server keeps such a name.
std::string printable(std::string text) {
  for (char& letter : text)
    if (letter < 32 || letter > 126) letter = '?';
  return text;
}

}  // namespace

ClientSession::ClientSession(const SessionShared& shared, ClientStart start)
    : shared_(shared), start_(std::make_unique<ClientStart>(std::move(start))) {}

Verdict ClientSession::begin(const Parameters& greeting, Output& out) {
  FOREBAY_CHECK(!is_welcome());
  Result<std::vector<Setting>> wanted = wanted_at_start(start_->parameters);
  if (!wanted)
    return end_with(wire::report_of(std::move(wanted).error(), wire::Severity::fatal), out);
  // The name needs no server's word, and each client may have its own.
  std::vector<Setting> name;
  const auto found = std::ranges::find_if(
      *wanted, [](const Setting& one) { return is_same_parameter(one.first, kApplicationName); });
  if (found != wanted->end()) {
    name.emplace_back(kApplicationName, printable(std::move(found->second)));
    wanted->erase(found);
  }
  start_->parameters = *wanted;
  std::vector<Setting> known;
  const bool is_known = wanted->empty() || shared_.starts.recall(*wanted, known);
  std::vector<Setting>& settings = is_known ? known : *wanted;
  settings.insert(settings.end(), name.begin(), name.end());
  begin_with(std::move(settings));
  return is_known ? welcome(greeting, out) : Verdict::acquire;
}

Verdict ClientSession::welcome(const Parameters& parameters, Output& out) {
  if (!start_->is_told_ok) wire::write_authentication(out.to_client, wire::AuthenticationKind::ok);
  for (const auto& [name, value] : parameters) {
    const std::string* const wish = is_fixed_parameter(name) ? nullptr : parameters_.find(name);
    wire::write_parameter_status(out.to_client, name, wish != nullptr ? *wish : value);
  }
  wire::write_backend_key_data(out.to_client,
                               {.process = start_->process, .key = start_->cancel_key});
  wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
  start_.reset();
  return Verdict::done;
}

// What the server made of the wishes is what the client has from now on.
void ClientSession::learn_start() {
  std::vector<Setting> made_of_it;
  std::vector<Setting> all;
  for (const auto& [name, value] : parameters_.start()) {
    const auto reported = find_parameter(server_->reported, name);
    const bool is_reported = reported != server_->reported.end();
    all.push_back(is_reported ? Setting(*reported) : Setting(name, value));
    if (!is_same_parameter(name, kApplicationName)) made_of_it.push_back(all.back());
  }
  shared_.starts.remember(start_->parameters, std::move(made_of_it));
  begin_with(std::move(all));
  server_->fitted_for = serial_;
}

void ClientSession::begin_with(std::vector<Setting> settings) {
  serial_ = shared_.starts.serial_of(settings, shared_.texts.next_serial());
  parameters_.begin(std::move(settings));
}

// A server that was made to fit before is not known to fit any more.
void ClientSession::renew_serial() { serial_ = shared_.texts.next_serial(); }

void ClientSession::attach(ServerPicture& server, Output& out) {
  FOREBAY_CHECK(server_ == nullptr && !is_over_);
  server_ = &server;
  is_failed_ = false;
  if (shared_.rules.pooling == Pooling::session) server.leftovers.add(wire::Leftover::everything);
  const std::string sql =
      server.fitted_for == serial_ ? std::string() : parameters_.fitting_sql(server);
  if (!sql.empty()) {
    is_fitting_ = true;
    ++shared_.counters.fits;
    server.fitted_for = 0;
    server.unnamed_there = 0;
    wire::write_query(out.to_server, sql);
    expect('Q', Whose::silent);
    return;
  }
  server.fitted_for = serial_;
  if (is_welcome()) return;
  learn_start();
  welcome(server.reported, out);
}

Verdict ClientSession::fit_is_over(Output& out) {
  is_fitting_ = false;
  if (fit_error_.empty()) {
    parameters_.fitted(*server_);
    server_->fitted_for = serial_;
    if (is_welcome()) return Verdict::done;
    learn_start();
    return welcome(server_->reported, out);
  }
  if (is_welcome()) return Verdict::done;  // the message that waited hears of it
  const std::string error = std::exchange(fit_error_, {});
  const Result<wire::ErrorFields> fields =
      wire::parse_error_fields(std::string_view(error).substr(5));
  wire::ErrorReport report(wire::Severity::fatal, wire::kProtocolViolation, "unreadable error");
  if (fields) {
    report.sqlstate = fields->sqlstate();
    report.message = fields->message();
    report.detail = fields->detail();
    report.hint = fields->hint();
  }
  return end_with(report, out);
}

bool ClientSession::may_release() const {
  if (server_ == nullptr || is_fitting_ || !queue_.empty()) return false;
  if (wanting_ != 0 && !is_over_ && !has_left_)
    return false;  // what it was brought for has not been shown yet
  if (rest_ != Rest::none || server_rest_ != Rest::none || !server_->answers.is_idle())
    return false;
  if (server_->answers.transaction() != wire::TransactionStatus::idle) return false;
  return is_over_ || has_left_ || (pins_.empty() && shared_.rules.pooling == Pooling::transaction);
}

void ClientSession::release() {
  FOREBAY_CHECK(server_ != nullptr);
  const bool is_clean =
      may_release() && pins_.empty() && shared_.rules.pooling == Pooling::transaction;
  if (!is_clean) server_->leftovers.add(wire::Leftover::everything);
  server_ = nullptr;
  queue_.shrink();
  statements_.shrink();
  if (dropping_portals_.capacity() > 0) dropping_portals_ = {};
}

bool ClientSession::is_free() const {
  return server_ == nullptr || (queue_.empty() && server_->answers.is_idle() &&
                                server_->answers.transaction() == wire::TransactionStatus::idle);
}

bool ClientSession::is_in_transaction() const {
  return server_ != nullptr && server_->answers.transaction() != wire::TransactionStatus::idle;
}

bool ClientSession::is_busy() const {
  return server_ != nullptr && !is_fitting_ && !server_->answers.is_idle();
}

Verdict ClientSession::fail_unit(const Error& why, Output& out) {
  if (!is_welcome()) return end_with(wire::report_of(why, wire::Severity::fatal), out);
  FOREBAY_CHECK(server_ == nullptr && wanting_ != 0);
  wire::write_error(out.to_client, wire::report_of(why));
  if (wanting_ == 'Q' || wanting_ == 'F') {
    wire::write_ready_for_query(out.to_client, wire::TransactionStatus::idle);
  } else {
    is_skipping_ = true;
  }
  if (is_wanting_in_pieces_) rest_ = Rest::drop;
  wanting_ = 0;
  return Verdict::done;
}

void ClientSession::lose_server(const Error& why, Output& out) {
  if (is_over_) return;
  end_with(wire::report_of(why, wire::Severity::fatal), out);
}

Verdict ClientSession::end_with(const wire::ErrorReport& report, Output& out) {
  if (!is_in_answer()) wire::write_error(out.to_client, report);
  ended_for_ = std::make_unique<wire::ErrorReport>(report);
  is_over_ = true;
  return Verdict::end;
}

Verdict ClientSession::violation(const Error& error, Output& out) {
  return end_with(wire::report_of(error, wire::Severity::fatal), out);
}

}  // namespace forebay::proxy
