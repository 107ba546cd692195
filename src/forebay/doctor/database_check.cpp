#include "forebay/doctor/database_check.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/sqlstate.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

constexpr Duration kSlowRoundTrip = std::chrono::milliseconds(50);
constexpr Duration kSlowConnect = std::chrono::seconds(1);

struct Words {
  std::string_view fragment;  // lower case
  ConnectStep step;
};

// In order: the first that the message contains decides. TLS before the network, because libpq
// names the address in front of everything that happened there.
constexpr std::array<Words, 17> kWords{{
    {"could not be looked up", ConnectStep::name},  // our own words, of AresResolver
    {"could not translate host name", ConnectStep::name},
    {"name or service not known", ConnectStep::name},
    {"temporary failure in name resolution", ConnectStep::name},
    {"no password supplied", ConnectStep::login},
    {"authentication method", ConnectStep::login},
    {"could not find a suitable password", ConnectStep::login},
    {"certificate", ConnectStep::tls},
    {"ssl", ConnectStep::tls},
    {"sni was not received", ConnectStep::tls},
    {"connection refused", ConnectStep::network},
    {"timed out", ConnectStep::network},
    {"timeout", ConnectStep::network},
    {"unreachable", ConnectStep::network},
    {"no route", ConnectStep::network},
    {"could not connect", ConnectStep::network},
    {"no such file", ConnectStep::network},
}};

struct StepAdvice {
  ConnectStep step;
  std::string_view what;
  std::string_view advice;
};

constexpr std::array<StepAdvice, 8> kSteps{{
    {ConnectStep::name, "the name of the database's host does not resolve",
     "check database.host (DB_HOST) for mistakes, the region in it, and this machine's DNS"},
    {ConnectStep::network, "the database cannot be reached",
     "check that the server runs and listens there (nc -zv HOST PORT), the endpoint and the "
     "region, "
     "security groups, VPC endpoints and the NAT gateway"},
    {ConnectStep::tls, "TLS with the database does not come about",
     "check database.sslmode (DB_SSLMODE) against what the server offers, and the root "
     "certificates"},
    {ConnectStep::stranger, "what answers there is no PostgreSQL",
     "check database.host and database.port (DB_HOST, DB_PORT)"},
    {ConnectStep::login, "the database refuses the login", "check user and password"},
    {ConnectStep::database, "there is no such database",
     "correct database.name (DB_NAME), or create it"},
    {ConnectStep::capacity, "the database has no room for one more connection, or not so fast",
     "make the pools of all processes smaller, or share one limit and one rate (leases.enabled, "
     "rate.enabled)"},
    {ConnectStep::server, "the database does not let us in", "do as its message says"},
}};

const StepAdvice& advice_for(ConnectStep step) {
  return *std::ranges::find(kSteps, step, &StepAdvice::step);
}

// libpq's words for a first byte that no PostgreSQL answers with.
constexpr std::array<std::string_view, 2> kStrangers{
    "received invalid response to ssl negotiation: ",
    "expected authentication request from server, but received "};

// Whether what answered began with that letter, by libpq's words in lower case.
bool is_answer(std::string_view text, char letter) {
  return std::ranges::any_of(kStrangers, [&](std::string_view words) {
    return text.contains(std::string(words) + letter);
  });
}

// A server with no place in pg_hba.conf for those who do not encrypt, and we would not. Where TLS
// was offered and is not used, the reason is another one.
bool wants_encryption(const Error& error, std::string_view sslmode) {
  const std::string text = lower_case(error.text());
  return sslmode == "disable" && text.contains("no pg_hba.conf entry") &&
         text.contains("no encryption");
}

std::string login_advice(const DatabaseFacts& facts) {
  if (!facts.has_token)
    return "check database.user (DB_USER), database.password (DB_PASSWORD), and what pg_hba.conf "
           "allows";
  return fmt::format(
      "add {} to the IAM policy of the role that signs, check that the region is the cluster's and "
      "the clock right{}",
      facts.user == "admin" ? "dsql:DbConnectAdmin" : "dsql:DbConnect",
      facts.user == "admin" ? "" : ", and map the database role with AWS IAM GRANT");
}

std::string tls_advice(const DatabaseFacts& facts) {
  if (wants_encryption(*facts.failure, facts.sslmode))
    return fmt::format(
        "the server requires encryption: set database.sslmode (DB_SSLMODE), which is {}, to "
        "verify-full, with sslrootcert={} in database.url or a file, or to require",
        facts.sslmode, facts.root_certificates);
  return fmt::format("{}: sslrootcert={}, or a file", advice_for(ConnectStep::tls).advice,
                     facts.root_certificates);
}

std::string stranger_told(std::string_view what, const Error& error) {
  const bool is_http = is_answer(lower_case(error.text()), 'h');
  return fmt::format("{}{}", what, is_http ? ": it speaks HTTP" : "");
}

void report_failure(const DatabaseFacts& facts, Notebook& notebook) {
  const ConnectStep step = failed_step(*facts.failure, facts.sslmode);
  const StepAdvice& told = advice_for(step);
  std::string what(told.what);
  std::string advice(told.advice);
  if (step == ConnectStep::login) advice = login_advice(facts);
  if (step == ConnectStep::tls) advice = tls_advice(facts);
  if (step == ConnectStep::stranger) what = stranger_told(what, *facts.failure);
  notebook.error(fmt::format("{} ({}): {}", what, facts.place, facts.failure->text()),
                 "no connection can be opened, so callers wait and time out", std::move(advice));
}

std::string who_and_where(const DatabaseFacts& facts) {
  return fmt::format("{}{}{}", facts.place, facts.user.empty() ? "" : " as " + facts.user,
                     facts.name.empty() ? "" : ", database " + facts.name);
}

void check_speed(const DatabaseFacts& facts, Notebook& notebook) {
  const std::string what =
      fmt::format("a connect took {}, a round trip {}", readable_time(facts.connect_time),
                  readable_time(facts.round_trip));
  if (facts.round_trip > kSlowRoundTrip || facts.connect_time > kSlowConnect) {
    notebook.note(what, "far away, or busy: every statement waits for so long",
                  "run the service in the database's region; see what the server does");
  } else {
    notebook.ok(what);
  }
}

void check_authenticity(const DatabaseFacts& facts, Notebook& notebook) {
  if (!facts.is_dsql || facts.sslmode == "verify-full") return;
  // What is required by default is encrypted; less than that may not be.
  const bool is_required = facts.sslmode == "require" || facts.sslmode == "verify-ca";
  notebook.add(
      is_required ? Severity::note : Severity::warning,
      fmt::format("sslmode is {}: it is not checked who answers", facts.sslmode),
      "anybody in between gets the token, and with it the database",
      fmt::format("set database.sslmode (DB_SSLMODE) to verify-full, with sslrootcert={} in "
                  "database.url or a file of Amazon's root certificates",
                  facts.root_certificates));
}

void check_tls(const DatabaseFacts& facts, Notebook& notebook) {
  check_authenticity(facts, notebook);
  if (facts.is_dsql || facts.is_encrypted.value_or(false)) {
    notebook.ok(fmt::format("the connection is encrypted (sslmode {})", facts.sslmode));
    return;
  }
  if (facts.is_local || !facts.is_encrypted) return;
  notebook.warning(fmt::format("the connection is not encrypted (sslmode {})", facts.sslmode),
                   "passwords and data cross the network as they are",
                   "switch TLS on at the server, and set database.sslmode (DB_SSLMODE) to require "
                   "at least");
}

void check_limit(std::optional<int> limit, int pool_max, std::string_view whose,
                 Notebook& notebook) {
  if (!limit || *limit < 0 || *limit >= pool_max) return;
  notebook.error(
      fmt::format("one pool may want {} connections, and {} allows {}", pool_max, whose, *limit),
      "the last ones are refused (53300)",
      "lower pool.max (FOREBAY_POOL_MAX), or raise that limit");
}

void report_timeouts(const DatabaseFacts& facts, Notebook& notebook) {
  const auto report = [&](const std::optional<Duration>& limit, std::string_view what,
                          std::string_view setting) {
    if (!limit || *limit <= Duration()) return;
    notebook.note(
        fmt::format("the server ends {} after {} ({})", what, duration_text(*limit), setting),
        "what takes longer fails, also if the service would wait",
        "keep it above the longest that the service needs");
  };
  report(facts.statement_timeout, "statements", "statement_timeout");
  report(facts.idle_transaction_timeout, "transactions that do nothing",
         "idle_in_transaction_session_timeout");
}

void check_server_limits(const DatabaseFacts& facts, int pool_max, Duration check_after_idle,
                         Notebook& notebook) {
  check_limit(facts.connection_limit(), pool_max,
              "the server (max_connections without those reserved)", notebook);
  check_limit(facts.role_limit, pool_max, "the role (CONNECTION LIMIT)", notebook);
  check_limit(facts.database_limit, pool_max, "the database (CONNECTION LIMIT)", notebook);
  if (const std::optional<int> limit = facts.connection_limit(); limit && facts.sessions) {
    const std::string what = fmt::format("the server has {} sessions of {} that clients may have",
                                         *facts.sessions, *limit);
    if (*facts.sessions * 10 >= *limit * 9) {
      notebook.warning(what, "soon connects are refused (53300)",
                       "see who holds them (pg_stat_activity), make pools smaller, or raise "
                       "max_connections");
    } else {
      notebook.ok(what);
    }
  }
  const Duration idle = facts.idle_session_timeout.value_or(Duration());
  if (idle > Duration() && idle <= check_after_idle) {
    notebook.warning(
        fmt::format("the server ends sessions that are idle for {}", duration_text(idle)),
        "ready connections are ended behind the pool's back and opened again",
        "set idle_session_timeout to 0 for this role, or pool.check_after_idle "
        "(FOREBAY_POOL_CHECK_AFTER_IDLE) to less");
  }
}

}  // namespace

ConnectStep failed_step(const Error& error, std::string_view sslmode) {
  const std::string_view state = error.sqlstate();
  const std::string text = lower_case(error.text());
  if (wants_encryption(error, sslmode)) return ConnectStep::tls;
  if (is_about_identity(state)) return ConnectStep::login;
  if (state == "3D000") return ConnectStep::database;
  if (state == "53300" || state == "53400") return ConnectStep::capacity;
  if (text.contains("access denied") || text.contains("iam authentication failed") ||
      text.contains("wrong user to action mapping"))
    return ConnectStep::login;
  if (!state.empty()) return ConnectStep::server;
  for (const std::string_view words : kStrangers) {
    if (text.contains(words)) return ConnectStep::stranger;
  }
  for (const Words& words : kWords) {
    if (text.contains(words.fragment)) return words.step;
  }
  return error.code() == Errc::timed_out ? ConnectStep::network : ConnectStep::server;
}

std::optional<int> DatabaseFacts::connection_limit() const {
  if (is_dsql || !max_connections) return std::nullopt;  // what DSQL says there means nothing
  return std::max(0, *max_connections - reserved.value_or(0));
}

Findings check_database(const DatabaseFacts& facts, int pool_max, Duration check_after_idle) {
  Notebook notebook("database");
  if (facts.failure) {
    report_failure(facts, notebook);
    check_authenticity(facts, notebook);
    return notebook.take();
  }
  notebook.ok(fmt::format("logged in to {}{}{}", who_and_where(facts),
                          facts.version.empty() ? "" : ", version ", facts.version));
  check_speed(facts, notebook);
  check_tls(facts, notebook);
  check_server_limits(facts, pool_max, check_after_idle, notebook);
  report_timeouts(facts, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
