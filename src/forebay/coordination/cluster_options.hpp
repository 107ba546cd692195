// ClusterOptions: all that a process is told to share limits with others through DynamoDB, with
// defaults that suit Aurora DSQL, and the rules they obey.
//
// All processes of a fleet have the same endpoint, tables, limit, rate, burst, mode and ttl.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "forebay/aws/credentials.hpp"
#include "forebay/coordination/policy.hpp"
#include "forebay/coordination/rate_store.hpp"
#include "forebay/env/time.hpp"
#include "forebay/ids/snowflake.hpp"

namespace forebay {

struct ClusterOptions {
  ClusterOptions() = default;  // keeps it from being an aggregate: coroutines take it by value

  // Who, and of what.
  std::string endpoint;             // the database's host name: what the limits belong to
  std::string service = "forebay";  // this process's service, for people who look into the table
  std::string member;               // this process, for the same; empty: as the service
  // Whose tokens are made: "admin", or any other role of the database. Empty: none, the connection
  // string has the password.
  std::string user;
  Duration token_lifetime = std::chrono::minutes(15);

  // One limit of connections. No table: not shared.
  std::string lease_table;
  int limit = 10'000;
  Duration ttl = std::chrono::minutes(3);  // a process that dies is missed after so long
  // And so long after that its leases come back: how long the database may go on counting the
  // sessions of a process that died in the middle of a statement. None: see session_linger().
  std::optional<Duration> session_linger;
  LeaseLoss on_loss = LeaseLoss::keep;
  // fence: how long before the lease may end connections are retired. None: a sixth of the ttl.
  std::optional<Duration> fence_before;

  // One rate of connects. No table: not shared; each pool then has its own limit.
  std::string rate_table;
  double connects_per_second = 100;
  int burst = 1000;
  RateMode rate_mode = RateMode::bucket;
  Duration max_wait = std::chrono::seconds(30);  // for a permit
  Duration stagger = std::chrono::seconds(5);    // the first request waits for up to so long

  // Node numbers for ids, one for each process of a scope. No table: none. The ttl is that above.
  std::string id_table;
  std::string id_scope;  // whose ids must differ; empty: the endpoint
  SnowflakeOptions ids;

  // How to reach DynamoDB.
  StoreAbsence on_absence = StoreAbsence::hold;
  Duration request_timeout = std::chrono::seconds(5);
  std::string region;        // empty: the endpoint's, or as configured for the AWS tools
  std::string dynamodb_url;  // empty: as configured for the AWS tools, or the region's
  std::optional<aws::Credentials> credentials;  // none: as the AWS tools find them
};

// Everything that is wrong with the options, one sentence each: the option, its value, what would
// be right.
std::vector<std::string> problems(const ClusterOptions& options);

// As given. Otherwise five minutes for Aurora DSQL, where nothing but the limit of a transaction
// ends the statement of a dead client for certain; and 30 seconds for a PostgreSQL that is told to
// miss its clients.
Duration session_linger(const ClusterOptions& options);

// How long before its end a lease counts as endangered. REQUIRES: problems(options) is empty.
Duration fence_before(const ClusterOptions& options);

}  // namespace forebay
