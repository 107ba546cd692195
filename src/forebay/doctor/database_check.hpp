// What one connection to the database brought. Pure; DatabaseProbe does the looking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/doctor/clock_check.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

// How far a connect got before it failed.
enum class ConnectStep : std::uint8_t {
  name,
  network,
  stranger,  // something answers that does not speak PostgreSQL's protocol
  tls,
  login,
  database,
  capacity,
  server
};

// By the SQLSTATE if the server spoke, else by libpq's words. The sslmode is the one that held.
ConnectStep failed_step(const Error& error, std::string_view sslmode);

class DatabaseFacts {
 public:
  DatabaseFacts() = default;

  std::string place;    // "db.example:5432", no secret
  std::string user;     // empty: libpq's
  std::string name;     // of the database; empty: libpq's
  std::string sslmode;  // as it holds
  // For sslrootcert: what this machine trusts, as this libpq calls it.
  std::string root_certificates = "system";
  bool is_dsql = false;
  bool is_local = false;  // on this machine: nobody listens in between
  bool has_token = false;

  std::optional<Error> failure;  // of the connect; what follows is then not known
  Duration connect_time{};
  Duration round_trip{};  // the shortest of a few; zero: not known
  std::string version;
  // Where the server tells.
  std::optional<int> max_connections;
  std::optional<int> reserved;  // for superusers and the like
  std::optional<int> sessions;
  std::optional<int> role_limit;      // -1: none
  std::optional<int> database_limit;  // -1: none
  std::optional<bool> is_encrypted;
  // Of the server for this role; zero: none.
  std::optional<Duration> idle_session_timeout;
  std::optional<Duration> statement_timeout;
  std::optional<Duration> idle_transaction_timeout;
  std::optional<ClockReading> clock;

  // How many connections all clients together may have; none: not known.
  std::optional<int> connection_limit() const;
};

// `pool_max` and `check_after_idle` are those of one process's pool.
Findings check_database(const DatabaseFacts& facts, int pool_max, Duration check_after_idle);

}  // namespace forebay::doctor
