#include "forebay/doctor/doctor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/default_credentials.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/aws/signing/dsql_token.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "forebay/doctor/configuration_check.hpp"
#include "forebay/doctor/database_probe.hpp"
#include "forebay/doctor/instance_probe.hpp"
#include "forebay/doctor/lease_check.hpp"
#include "forebay/doctor/rate_probe.hpp"
#include "forebay/doctor/settings_check.hpp"
#include "forebay/doctor/table_probe.hpp"

namespace forebay::doctor {
namespace {

// A counter that moves while the leases are read says nothing; a few more looks may find it still.
constexpr int kLooks = 3;

bool is_away(const Error& error) {
  return error.code() == Errc::connect_failed || error.code() == Errc::timed_out;
}

}  // namespace

struct Doctor::Step {
  std::string_view name;
  Task<void> (Doctor::*look)();
};

const std::vector<Doctor::Step>& Doctor::steps() {
  static const std::vector<Step> kSteps{
      {"the configuration", &Doctor::look_at_configuration},
      {"credentials and token", &Doctor::look_at_credentials},
      {"the database", &Doctor::look_at_database},
      {"the tables in DynamoDB", &Doctor::look_at_tables},
      {"the counter and its leases", &Doctor::look_at_leases},
      {"the rate", &Doctor::look_at_rate},
      {"the clocks", &Doctor::look_at_clocks},
      {"demand and limits", &Doctor::look_at_demand},
      {"the settings", &Doctor::look_at_settings},
      {"the running instance", &Doctor::look_at_instance},
  };
  return kSteps;
}

Doctor::Doctor(const DoctorEnv& env, DoctorOptions options)
    : env_(env),
      options_(std::move(options)),
      dynamodb_http_(env.aws.http, env.aws.env.wall_clock, "DynamoDB") {}

Doctor::~Doctor() = default;

std::string_view Doctor::next() const {
  return done_ < steps().size() ? steps()[done_].name : std::string_view();
}

Task<void> Doctor::step() {
  const auto look = steps()[done_].look;
  ++done_;
  co_await (this->*look)();
}

Task<void> Doctor::close() {
  if (credentials_) co_await credentials_->close();
}

Instant Doctor::deadline() const {
  return deadline_after(env_.aws.env.scheduler.now(), options_.timeout);
}

const ClusterOptions* Doctor::cluster() const {
  const auto& cluster = reading_.configuration.cluster;
  return unusable_.empty() && cluster ? &*cluster : nullptr;
}

void Doctor::add(Findings findings) {
  std::ranges::move(findings, std::back_inserter(report_.findings));
}

void Doctor::not_checked(std::string check, std::string_view because) {
  Notebook notebook(std::move(check));
  notebook.not_checked(because);
  add(notebook.take());
}

Task<void> Doctor::look_at_configuration() {
  reading_ = co_await read_configuration(env_.aws.machine, options_.configuration);
  if (!reading_.problems.empty()) unusable_ = "the configuration has errors";
  is_bare_ =
      unusable_.empty() && !names_database(reading_.configuration.database, env_.aws.machine);
  add(check_configuration(reading_, !is_bare_));
  if (!is_bare_) co_return;
  Notebook notebook("database");
  if (options_.metrics_url.empty()) {
    notebook.warning("no database is named, so there is nothing to look at",
                     "whether a service can work depends on what it connects to",
                     "give --config FILE, or the variables that the service has (DB_HOST ...)");
  } else {
    notebook.note("no database is named, so only the running instance is looked at");
  }
  add(notebook.take());
}

Task<void> Doctor::look_at_credentials() {
  if (!unusable_.empty()) {
    not_checked("credentials", unusable_);
    co_return;
  }
  if (cluster() == nullptr) co_return;
  CredentialsFacts facts;
  co_await find_credentials(facts);
  if (facts.failure) no_tables_ = "there are no credentials";
  add(check_credentials(facts));
}

Task<void> Doctor::find_credentials(CredentialsFacts& facts) {
  const ClusterOptions& options = *cluster();
  aws::RegionHints hints(options.region, options.endpoint);
  const Result<std::string> region =
      co_await aws::find_region(env_.aws, std::move(hints), deadline());
  if (!region) {
    facts.failure = region.error();
    co_return;
  }
  facts.region = *region;
  const aws::AwsEnv& aws = env_.aws;
  aws::RefreshRule rule;
  rule.logs_failures = false;
  credentials_ = aws::default_credentials(aws.env, aws.http, aws.machine, rule);
  const Result<aws::Credentials> found = co_await credentials_->get(deadline());
  if (!found) {
    facts.failure = found.error();
    co_return;
  }
  aws::DynamoDbOptions dynamodb;
  dynamodb.region = *region;
  Result<std::string> url = options.dynamodb_url;
  if (url->empty()) url = co_await aws::find_endpoint_url(env_.aws, "dynamodb", *region);
  if (!url) {
    facts.failure = url.error();
    co_return;
  }
  dynamodb.endpoint_url = *url;
  dynamodb_.emplace(aws.env, dynamodb_http_, *credentials_, std::move(dynamodb));

  facts.source = found->source;
  facts.expires_at = found->expires_at;
  facts.now = aws.env.wall_clock.now();
  facts.user = options.user;
  if (options.user.empty() || found->expires_at <= facts.now) co_return;
  const aws::DsqlTokenRequest request{options.endpoint, *region, options.user,
                                      options.token_lifetime};
  facts.wanted_lifetime = options.token_lifetime;
  facts.token_lifetime = aws::dsql_token_lifetime(request, *found, facts.now);
  if (facts.token_lifetime > Duration()) token_ = aws::sign_dsql_token(request, *found, facts.now);
}

Task<void> Doctor::look_at_database() {
  if (is_bare_) co_return;
  const Configuration& configuration = reading_.configuration;
  if (!unusable_.empty()) {
    not_checked("database", unusable_);
  } else if (configuration.database.authentication == Authentication::iam && token_.empty()) {
    not_checked("database", "there is no token to log in with");
  } else {
    database_ = co_await doctor::look_at_database(env_.aws.env, env_.libpq, configuration.database,
                                                  token_, options_.timeout);
    const PoolOptions pool = config::pool_at_server(configuration);
    add(check_database(*database_, *pool.size.max, pool.check_after_idle));
  }
}

Task<void> Doctor::look_at_tables() {
  if (!unusable_.empty()) {
    not_checked("table", unusable_);
    co_return;
  }
  const ClusterOptions* const options = cluster();
  if (options == nullptr) co_return;
  const std::vector<ClusterTable> tables =
      tables_of(options->lease_table, options->rate_table, options->id_table);
  for (const ClusterTable& table : tables) {
    if (!no_tables_.empty()) {
      not_checked("table", no_tables_);
      co_return;
    }
    const TableFacts facts =
        co_await look_at_table(env_.aws.env.scheduler, *dynamodb_, table, options_.timeout);
    add(check_table(facts, options->request_timeout));
    if (facts.read_failure && is_away(*facts.read_failure)) no_tables_ = "DynamoDB does not answer";
  }
}

Task<void> Doctor::look_at_leases() {
  const ClusterOptions* const options = cluster();
  if (options == nullptr || options->lease_table.empty()) co_return;
  if (!no_tables_.empty()) {
    not_checked("leases", no_tables_);
    co_return;
  }
  DynamoLeaseStore store(*dynamodb_, options->lease_table, options->endpoint);
  for (int look = 0; look < kLooks; ++look) {
    Result<LeaseListing> listing = co_await store.list(deadline());
    if (!listing) {
      not_checked("leases", "they cannot be read: " + listing.error().text());
      co_return;
    }
    leases_ = std::move(*listing);
    if (leases_->is_still || leases_->surplus() == 0) break;
  }
  const WallTime now = env_.aws.env.wall_clock.now();
  add(check_leases(*leases_, options->limit, options->ttl, now));
}

Task<void> Doctor::look_at_rate() {
  const ClusterOptions* const options = cluster();
  if (options == nullptr || options->rate_table.empty()) co_return;
  if (!no_tables_.empty()) {
    not_checked("rate", no_tables_);
    co_return;
  }
  const WallTime now = env_.aws.env.wall_clock.now();
  const Result<RateFacts> facts =
      co_await doctor::look_at_rate(*dynamodb_, *options, now, deadline());
  if (!facts) {
    not_checked("rate", "it cannot be read: " + facts.error().text());
    co_return;
  }
  add(check_rate(*facts));
}

Task<void> Doctor::look_at_clocks() {
  if (is_bare_) co_return;
  std::vector<ClockReading> clocks;
  if (database_ && database_->clock) clocks.push_back(*database_->clock);
  if (dynamodb_http_.reading()) clocks.push_back(*dynamodb_http_.reading());
  add(check_clocks(clocks, reading_.configuration.cluster.has_value()));
  co_return;
}

Task<void> Doctor::look_at_demand() {
  if (is_bare_) co_return;
  if (!unusable_.empty()) {
    not_checked("demand", unusable_);
    co_return;
  }
  Demand demand = demand_of(reading_.configuration);
  const std::string service =
      reading_.configuration.cluster ? reading_.configuration.cluster->service : std::string();
  if (options_.processes) {
    demand.processes = *options_.processes;
  } else {
    const int known = leases_ ? processes_of(service, *leases_) : 0;
    demand.processes = std::max(1, known);
    demand.is_assumed = known == 0;
  }
  if (!demand.limit && database_ && database_->connection_limit()) {
    demand.limit = database_->connection_limit();
    demand.limit_from = "what the server's max_connections leaves to clients";
  }
  const int others = leases_ ? held_by_others(service, *leases_) : 0;
  if (demand.limit && others > 0) {
    demand.limit = std::max(0, *demand.limit - others);
    demand.limit_from += fmt::format(", less the {} that others hold", others);
  }
  report_.demand = demand_table(demand);
  add(check_demand(demand));
  co_return;
}

Task<void> Doctor::look_at_settings() {
  if (is_bare_) co_return;
  if (!unusable_.empty()) {
    not_checked("settings", unusable_);
    co_return;
  }
  const Configuration& configuration = reading_.configuration;
  add(check_settings(config::pool_at_server(configuration), configuration.cluster));
  co_return;
}

Task<void> Doctor::look_at_instance() {
  if (options_.metrics_url.empty()) co_return;
  InstanceRequest request(options_.metrics_url);
  request.watch = options_.watch;
  request.timeout = options_.timeout;
  Findings findings =
      co_await look_at_running_instance(env_.aws.env.scheduler, env_.aws.http, request);
  add(std::move(findings));
}

}  // namespace forebay::doctor
