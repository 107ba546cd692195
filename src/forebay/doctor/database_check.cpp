#include "forebay/doctor/database_check.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
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
constexpr std::array<Words, 16> kWords{{
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

constexpr std::array<StepAdvice, 7> kSteps{{
    {ConnectStep::name, "the name of the database's host does not resolve",
     "check database.host (DB_HOST) for mistakes, the region in it, and this machine's DNS"},
    {ConnectStep::network, "the database cannot be reached",
     "check that the server runs and listens there (nc -zv HOST PORT), the endpoint and the "
     "region, "
     "security groups, VPC endpoints and the NAT gateway"},
    {ConnectStep::tls, "TLS with the database does not come about",
     "check database.sslmode (DB_SSLMODE) against what the server offers, and the root "
     "certificates: sslrootcert=system, or a file"},
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

std::string login_advice(const DatabaseSight& sight) {
  if (!sight.has_token)
    return "check database.user (DB_USER), database.password (DB_PASSWORD), and what pg_hba.conf "
           "allows";
  return fmt::format(
      "add {} to the IAM policy of the role that signs, check that the region is the cluster's and "
      "the clock right{}",
      sight.user == "admin" ? "dsql:DbConnectAdmin" : "dsql:DbConnect",
      sight.user == "admin" ? "" : ", and map the database role with AWS IAM GRANT");
}

void tell_failure(const DatabaseSight& sight, Notebook& notebook) {
  const ConnectStep step = failed_step(*sight.failure);
  const StepAdvice& told = advice_for(step);
  notebook.error(fmt::format("{} ({}): {}", told.what, sight.place, sight.failure->text()),
                 "no connection can be opened, so callers wait and time out",
                 step == ConnectStep::login ? login_advice(sight) : std::string(told.advice));
}

std::string who_and_where(const DatabaseSight& sight) {
  return fmt::format("{}{}{}", sight.place, sight.user.empty() ? "" : " as " + sight.user,
                     sight.name.empty() ? "" : ", database " + sight.name);
}

void check_speed(const DatabaseSight& sight, Notebook& notebook) {
  const std::string what =
      fmt::format("a connect took {}, a round trip {}", readable_time(sight.connect_time),
                  readable_time(sight.round_trip));
  if (sight.round_trip > kSlowRoundTrip || sight.connect_time > kSlowConnect) {
    notebook.note(what, "far away, or busy: every statement waits for so long",
                  "run the service in the database's region; see what the server does");
  } else {
    notebook.ok(what);
  }
}

void check_authenticity(const DatabaseSight& sight, Notebook& notebook) {
  if (!sight.is_dsql || sight.sslmode == "verify-full") return;
  // What is required by default is encrypted; less than that may not be.
  const bool is_required = sight.sslmode == "require" || sight.sslmode == "verify-ca";
  notebook.add(is_required ? Severity::note : Severity::warning,
               fmt::format("sslmode is {}: it is not checked who answers", sight.sslmode),
               "whoever stands in between gets the token, and with it the database",
               "set database.sslmode (DB_SSLMODE) to verify-full, with sslrootcert=system in "
               "database.url or a file of Amazon's root certificates");
}

void check_tls(const DatabaseSight& sight, Notebook& notebook) {
  check_authenticity(sight, notebook);
  if (sight.is_dsql || sight.is_encrypted.value_or(false)) {
    notebook.ok(fmt::format("the connection is encrypted (sslmode {})", sight.sslmode));
    return;
  }
  if (sight.is_local || !sight.is_encrypted) return;
  notebook.warning(fmt::format("the connection is not encrypted (sslmode {})", sight.sslmode),
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

void tell_timeouts(const DatabaseSight& sight, Notebook& notebook) {
  const auto tell = [&](const std::optional<Duration>& limit, std::string_view what,
                        std::string_view setting) {
    if (!limit || *limit <= Duration()) return;
    notebook.note(
        fmt::format("the server ends {} after {} ({})", what, duration_text(*limit), setting),
        "what takes longer fails, also if the service would wait",
        "keep it above the longest that the service needs");
  };
  tell(sight.statement_timeout, "statements", "statement_timeout");
  tell(sight.idle_transaction_timeout, "transactions that do nothing",
       "idle_in_transaction_session_timeout");
}

void check_server_limits(const DatabaseSight& sight, int pool_max, Duration check_after_idle,
                         Notebook& notebook) {
  check_limit(sight.connection_limit(), pool_max,
              "the server (max_connections without those reserved)", notebook);
  check_limit(sight.role_limit, pool_max, "the role (CONNECTION LIMIT)", notebook);
  check_limit(sight.database_limit, pool_max, "the database (CONNECTION LIMIT)", notebook);
  if (const std::optional<int> limit = sight.connection_limit(); limit && sight.sessions) {
    const std::string what = fmt::format("the server has {} sessions of {} that clients may have",
                                         *sight.sessions, *limit);
    if (*sight.sessions * 10 >= *limit * 9) {
      notebook.warning(what, "soon connects are refused (53300)",
                       "see who holds them (pg_stat_activity), make pools smaller, or raise "
                       "max_connections");
    } else {
      notebook.ok(what);
    }
  }
  const Duration idle = sight.idle_session_timeout.value_or(Duration());
  if (idle > Duration() && idle <= check_after_idle) {
    notebook.warning(
        fmt::format("the server ends sessions that are idle for {}", duration_text(idle)),
        "ready connections are ended behind the pool's back and opened again",
        "set idle_session_timeout to 0 for this role, or pool.check_after_idle "
        "(FOREBAY_POOL_CHECK_AFTER_IDLE) to less");
  }
}

}  // namespace

ConnectStep failed_step(const Error& error) {
  const std::string_view state = error.sqlstate();
  const std::string text = lower_case(error.text());
  if (state.starts_with("28")) return ConnectStep::login;
  if (state == "3D000") return ConnectStep::database;
  if (state == "53300" || state == "53400") return ConnectStep::capacity;
  if (text.contains("access denied") || text.contains("iam authentication failed") ||
      text.contains("wrong user to action mapping"))
    return ConnectStep::login;
  if (!state.empty()) return ConnectStep::server;
  for (const Words& words : kWords) {
    if (text.contains(words.fragment)) return words.step;
  }
  return error.code() == Errc::timed_out ? ConnectStep::network : ConnectStep::server;
}

std::optional<int> DatabaseSight::connection_limit() const {
  if (is_dsql || !max_connections) return std::nullopt;  // what DSQL says there means nothing
  return std::max(0, *max_connections - reserved.value_or(0));
}

Findings check_database(const DatabaseSight& sight, int pool_max, Duration check_after_idle) {
  Notebook notebook("database");
  if (sight.failure) {
    tell_failure(sight, notebook);
    check_authenticity(sight, notebook);
    return notebook.take();
  }
  notebook.ok(fmt::format("logged in to {}{}{}", who_and_where(sight),
                          sight.version.empty() ? "" : ", version ", sight.version));
  check_speed(sight, notebook);
  check_tls(sight, notebook);
  check_server_limits(sight, pool_max, check_after_idle, notebook);
  tell_timeouts(sight, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
