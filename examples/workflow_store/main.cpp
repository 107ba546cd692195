// Several owners fight over a few shards, start and advance workflows in them, lose shards and
// notice it; an operator writes notes in between. At the end the database is asked whether all of
// it happened exactly as the owners were told.
//
// Exit status: 0 all is as it should be, 1 something is broken or the database cannot be used, 2
// the arguments are wrong.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <forebay/forebay.hpp>
#include <forebay/postgres/driver/conninfo.hpp>

#include "arguments.hpp"
#include "owner.hpp"
#include "report.hpp"
#include "schema.hpp"
#include "verify.hpp"
#include "workflow_store.hpp"

namespace workflow {
namespace {

using namespace std::chrono_literals;
using forebay::failure;
using forebay::postgres::ConnectionString;
using forebay::postgres::PostgresPool;
using forebay::postgres::ServerProfile;

constexpr int kShards = 3;  // few, so that there is a fight

Result<std::unique_ptr<PostgresPool>> open_pool(forebay::Runtime& runtime,
                                                const Arguments& arguments) {
  forebay::PoolOptions options;
  options.name = "workflow_store";
  options.size.max = arguments.threads + 1;  // the operator is one more
  options.size.low_watermark = 1;            // work begins with the first
  options.supply = forebay::Supply::reservoir;
  options.initial_fill_limit = 5s;
  auto pool = PostgresPool::open(runtime, arguments.database, options);
  if (!pool || (*pool)->is_filled()) return pool;
  // Nothing came in time. Its error tells why.
  const auto session = (*pool)->acquire_blocking(1s);
  if (!session) return failure(session.error());
  return pool;
}

// Whether it is a DSQL is told by the name of the host.
Result<ServerProfile> profile_of(const std::string& database) {
  const Result<ConnectionString> target = ConnectionString::parse(database);
  if (!target) return failure(target.error());
  return ServerProfile::for_host(target->host());
}

Result<void> prepare(PostgresPool& pool, WorkflowStore& store, const ServerProfile& profile) {
  const Result<void> created = create_schema(pool, profile);
  if (!created) return failure(created.error());
  for (int shard_id = 1; shard_id <= kShards; ++shard_id) {
    const Result<void> made = store.create_shard(shard_id);
    if (!made) return failure(made.error());
  }
  return {};
}

// The operator's work, on the main thread, until the time is over.
OperatorCount write_notes(WorkflowStore& store, std::chrono::seconds time,
                          std::atomic<bool>& is_over) {
  OperatorCount count;
  const auto end = std::chrono::steady_clock::now() + time;
  while (!is_over && std::chrono::steady_clock::now() < end) {
    for (int shard_id = 1; shard_id <= kShards; ++shard_id) {
      const Result<void> noted =
          store.note_on_shard(shard_id, "seen " + std::to_string(count.notes) + " times");
      if (noted) {
        ++count.notes;
      } else if (noted.error().code() == forebay::Errc::condition_failed) {
        ++count.refused_notes;
      } else {
        ++count.given_up;
      }
    }
    std::this_thread::sleep_for(20ms);
  }
  is_over = true;
  return count;
}

OperatorCount fight(WorkflowStore& store, std::vector<std::unique_ptr<Owner>>& owners,
                    std::chrono::seconds time) {
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> threads;
  for (const std::unique_ptr<Owner>& owner : owners) {
    threads.emplace_back([&owner, &is_over] { owner->run(is_over); });
  }
  return write_notes(store, time, is_over);  // jthread joins
}

int conclude(WorkflowStore& store, const std::vector<std::unique_ptr<Owner>>& owners,
             const OperatorCount& operator_count) {
  Ledger all;
  std::vector<OwnerCount> counts;
  for (const std::unique_ptr<Owner>& owner : owners) {
    all.add(owner->ledger());
    counts.push_back({owner->id(), owner->ledger().acquisitions});
  }
  if (all.broken) return std::cerr << "an owner stopped: " << all.broken->text() << '\n', 1;
  const Result<Verification> verification = verify(store, kShards, counts, all);
  if (!verification) return std::cerr << verification.error().text() << '\n', 1;
  std::cout << report_text(all, operator_count, store.metrics().snapshot(), *verification);
  for (const std::string& sentence : verification->broken) std::cerr << sentence << '\n';
  if (!verification->broken.empty()) return 1;
  std::cout << (all.unknown_outcomes == 0
                    ? "Every range id, version and event in the database is as it should be.\n"
                    : "Every range id is as it should be. The answer to some COMMIT was lost, so "
                      "versions and events were not compared.\n");
  return 0;
}

int run(const Arguments& arguments, const ServerProfile& profile) {
  forebay::Runtime runtime;
  auto pool = open_pool(runtime, arguments);
  if (!pool) return std::cerr << pool.error().text() << '\n', 1;
  // The number is of no consequence here: no other process has our namespace. Processes that share
  // a key need different ones (NodeLease).
  forebay::FixedNode node(0);
  forebay::SnowflakeGenerator event_ids(runtime.env().wall_clock, node);
  forebay::Random& chance = runtime.secure_random();
  WorkflowStore store(**pool, event_ids, chance, forebay::make_uuid_v4(chance));
  const Result<void> prepared = prepare(**pool, store, profile);
  if (!prepared) return std::cerr << prepared.error().text() << '\n', 1;

  std::vector<std::unique_ptr<Owner>> owners;
  for (int i = 0; i < arguments.threads; ++i) {
    const Uuid id = forebay::make_uuid_v4(chance);
    owners.push_back(std::make_unique<Owner>(store, kShards, id, chance.next()));
  }
  const OperatorCount operator_count =
      fight(store, owners, std::chrono::seconds(arguments.seconds));
  return conclude(store, owners, operator_count);
}

int refuse(const forebay::Error& error) {
  std::cerr << "workflow_store: " << error.text() << '\n' << kUsage;
  return 2;
}

}  // namespace
}  // namespace workflow

int main(int count, char** words) {
  const auto arguments = workflow::parse_arguments(count, words, std::getenv("DATABASE_URL"));
  if (!arguments) return workflow::refuse(arguments.error());
  if (arguments->wants_help) return std::cout << workflow::kUsage, 0;
  const auto profile = workflow::profile_of(arguments->database);
  if (!profile) return workflow::refuse(profile.error());
  if (!arguments->wants_schema) return workflow::run(*arguments, *profile);
  for (const std::string& statement : workflow::schema_statements(*profile)) {
    std::cout << statement << ";\n";
  }
}
