// One process of a fleet. Its connections are leased from one limit, opened at one rate, and let in
// by IAM tokens; limit and rate are those of all processes of the fleet, through DynamoDB. Nothing
// of that is in the code: it all comes from the environment, and so does the database, a PostgreSQL
// (local.env) or Aurora DSQL (dsql.env).
//
// Exit status: 0 it served, 1 it could not, 2 the environment is wrong.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include <forebay/forebay.hpp>

namespace {

using namespace std::chrono_literals;
using forebay::Result;
using forebay::postgres::Transaction;

constexpr const char* kUsage =
    "usage: fleet [SECONDS]\n"
    "Works for so long, or until SIGINT or SIGTERM, on the database that the environment names.\n"
    "See local.env, dsql.env and docs/configuration.md.\n";

constexpr const char* kOperation = "ask_who_we_are";

volatile std::sig_atomic_t is_told_to_end = 0;

int fail(int status, const std::string& text) {
  std::cerr << "fleet: " << text << '\n';
  return status;
}

// What is missing of that which this example is about.
std::string missing_from(const forebay::Configuration& configuration) {
  const auto& cluster = configuration.cluster;
  if (!cluster || cluster->lease_table.empty()) return "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED=true";
  if (cluster->rate_table.empty()) return "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED=true";
  if (cluster->user.empty()) return "FOREBAY_DATABASE_AUTHENTICATION=iam";
  return "";
}

// The token was signed for this role; the server says whom it let in.
Result<std::string> ask_who_we_are(Transaction& transaction) {
  return transaction.query_one_blocking<std::string>("SELECT CAST(current_user AS text)");
}

// Transactions one after the other until it is over. None of them opens a connection: what is ready
// is taken, and what is not is waited for.
void work(forebay::ConfiguredPool& database, const forebay::postgres::TransactionOptions& options,
          const std::atomic<bool>& is_over) {
  while (!is_over) {
    const Result<std::string> role =
        run_transaction_blocking(database.pool(), options, ask_who_we_are);
    std::this_thread::sleep_for(role ? 20ms : 200ms);  // the metrics count both
  }
}

forebay::OperationSnapshot done_so_far(const forebay::TransactionMetrics& metrics) {
  return metrics.snapshot(kOperation).value_or(forebay::OperationSnapshot());
}

void report(forebay::ConfiguredPool& database, const forebay::OperationSnapshot& done) {
  const forebay::PoolStatistics pool = database.pool().statistics();
  const forebay::ClusterStatistics cluster = database.cluster()->statistics();
  std::cout << "open " << pool.open() << ", leased " << cluster.held << ", by all processes "
            << cluster.active << " of " << cluster.limit << ", connects " << pool.counters.opened
            << ", tokens " << cluster.tokens.signed_tokens << ", transactions " << done.succeeded
            << ", failed " << done.failed << std::endl;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "--help") return std::cout << kUsage, 0;
  const int seconds = count > 1 ? std::atoi(words[1]) : 1 << 30;
  if (seconds <= 0 || count > 2) return std::cerr << kUsage, 2;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { is_told_to_end = 1; });

  forebay::Runtime runtime;
  const auto configuration = forebay::read_configuration_blocking(runtime);
  if (!configuration) return fail(2, configuration.error().text());
  if (const std::string missing = missing_from(*configuration); !missing.empty())
    return fail(2, missing + " is missing from the environment");
  const auto database = forebay::ConfiguredPool::open(runtime, *configuration);
  if (!database) return fail(1, database.error().text());

  forebay::TransactionMetrics metrics;
  forebay::postgres::TransactionOptions options(kOperation);
  options.is_read_only = true;
  options.timeout = 5s;
  options.policy = configuration->retry;
  options.metrics = &metrics;
  std::atomic<bool> is_over = false;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) workers.emplace_back([&] { work(**database, options, is_over); });
    for (int second = 0; second < seconds && is_told_to_end == 0; ++second) {
      std::this_thread::sleep_for(1s);
      report(**database, done_so_far(metrics));
    }
    is_over = true;
  }
  const bool has_served = done_so_far(metrics).succeeded > 0;
  return has_served ? 0 : fail(1, (*database)->pool().statistics().last_connect_error);
}  // the connections are closed, and their leases given back
