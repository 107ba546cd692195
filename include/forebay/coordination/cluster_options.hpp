// ClusterOptions: all that a process is told to share limits with others through DynamoDB, with
// defaults that suit Aurora DSQL, and the rules they obey.
//
// All processes of a fleet have the same endpoint, tables, limit, rate, burst, mode and ttl. The
// agents of a process, real or simulated, take their options from here: these defaults are given
// nowhere else in the code.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/coordination/rate/rate_limits.hpp"
#include "forebay/env/option_problem.hpp"
#include "forebay/env/time.hpp"
#include "forebay/ids/snowflake.hpp"

namespace forebay {

// What a process does when it cannot reach the store.
enum class StoreAbsence : std::uint8_t {
  hold,   // nothing is opened beyond what is leased; the cluster's limits stay true
  local,  // within this process's last known share of the limits, counted afterwards
};

// What it does when it has lost its lease there, or may lose it.
enum class LeaseLoss : std::uint8_t {
  keep,   // open connections live on and are leased anew, above the limit if need be
  fence,  // they are retired before the lease can end
};

struct ClusterOptions {
  ClusterOptions() = default;  // keeps it from being an aggregate: coroutines take it by value

  // Which database, and which process of it.
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
  // When all want more than there is: what others leave to this process before all share evenly.
  int min_share = 0;
  Duration ttl = std::chrono::minutes(3);  // of a lease, from its last renewal
  // How much later it comes back: how long the database may go on counting the sessions of a
  // process that died in the middle of a statement. None: see session_linger().
  std::optional<Duration> session_linger;
  LeaseLoss on_loss = LeaseLoss::keep;
  // fence: how long before the lease may end connections are retired. None: a sixth of the ttl.
  std::optional<Duration> fence_before;

  // One rate of connects. No table: not shared; each pool then has its own limit.
  std::string rate_table;
  double connects_per_second = RateLimits().connects_per_second;
  int burst = RateLimits().burst;
  // Clients of the older kind count by the second, and are not seen by a bucket: that is for fleets
  // that are all of this kind.
  RateMode rate_mode = RateMode::window;
  Duration max_wait = std::chrono::seconds(30);  // for a permit
  Duration stagger = std::chrono::seconds(5);    // the first request waits for up to this long

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

// Everything that is wrong with the options.
OptionProblems problems(const ClusterOptions& options);

// As given. Otherwise five minutes for Aurora DSQL, where nothing but the limit of a transaction
// ends the statement of a dead client for certain; and 30 seconds for a PostgreSQL, which is told
// to look for its clients.
Duration session_linger(const ClusterOptions& options);

// How long before its end a lease counts as endangered. REQUIRES: problems(options) is empty.
Duration fence_before(const ClusterOptions& options);

// What the store keeps to.
RateLimits rate_limits(const ClusterOptions& options);

}  // namespace forebay
