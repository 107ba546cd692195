#include "verify.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <forebay/postgres/sql/sql_types.hpp>
#include <forebay/postgres/transaction/run_transaction.hpp>

#include "statements.hpp"

namespace workflow {
namespace {

using forebay::failure;
using forebay::postgres::parameters;
using forebay::postgres::Transaction;

// The questions to the database and what is found wrong by them.
class Check {
 public:
  Check(StatementScope& scope, const Uuid& namespace_id, const Ledger& all)
      : scope_(scope), namespace_id_(namespace_id), all_(all) {}

  Result<void> check_shards(int shards) {
    const auto rows = scope_.query_blocking<int, std::int64_t, std::int64_t>(
        "SELECT s.shard_id, s.range_id, count(a.range_id) FROM shards s "
        "LEFT JOIN shard_acquisitions a ON a.shard_id = s.shard_id "
        "WHERE s.shard_id <= $1 GROUP BY s.shard_id, s.range_id",
        parameters(shards));
    if (!rows) return failure(rows.error());
    expect(static_cast<std::int64_t>(rows->size()), shards, "shards");
    for (const auto& [shard_id, range_id, acquisitions] : *rows) {
      expect(range_id, acquisitions, "range id of shard " + std::to_string(shard_id));
    }
    return {};
  }

  Result<void> check_owners(const std::vector<OwnerCount>& owners) {
    for (const OwnerCount& owner : owners) {
      const auto count = scope_.query_one_blocking<std::uint64_t>(
          "SELECT count(*) FROM shard_acquisitions WHERE owner_id = $1",
          parameters(owner.owner_id));
      if (!count) return failure(count.error());
      expect(*count, owner.acquisitions, "acquisitions of owner " + owner.owner_id.text());
    }
    return {};
  }

  Result<void> check_executions(int shards) {
    std::map<Uuid, std::int64_t> taken;
    for (const TakenEvent& event : all_.taken) ++taken[event.run_id];
    std::map<Uuid, std::int64_t> versions;
    for (int shard_id = 1; shard_id <= shards; ++shard_id) {
      const auto executions = list_executions(scope_, shard_id, namespace_id_);
      if (!executions) return failure(executions.error());
      for (const Execution& execution : *executions) {
        versions[execution.run_id] = execution.version;
        expect(execution.next_event_id - 1, taken[execution.run_id],
               "events in execution " + execution.run_id.text());
      }
    }
    expect(versions.size(), all_.updates.size(), "executions");
    for (const auto& [run_id, count] : all_.updates) {
      const auto found = versions.find(run_id);
      if (found == versions.end()) {
        say("execution " + run_id.text() + " is gone");
      } else {
        expect(found->second, count, "version of execution " + run_id.text());
      }
    }
    return {};
  }

  Result<void> check_events(int shards) {
    std::vector<std::int64_t> found;
    for (int shard_id = 1; shard_id <= shards; ++shard_id) {
      const auto left = scope_.query_blocking<std::int64_t>(
          "SELECT id FROM buffered_events WHERE shard_id = $1 AND namespace_id = $2",
          parameters(shard_id, namespace_id_));
      if (!left) return failure(left.error());
      found.insert(found.end(), left->begin(), left->end());
    }
    result_.events_left = found.size();
    std::vector<TakenEvent> taken = all_.taken;
    std::ranges::sort(taken);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      found.push_back(taken[i].id);
      const bool is_first = i == 0 || taken[i - 1].run_id != taken[i].run_id;
      if (!is_first && taken[i - 1].id >= taken[i].id) {
        say("event " + std::to_string(taken[i].id) + " was taken out of order");
      }
    }
    compare_events(std::move(found));
    return {};
  }

  Verification result() && { return std::move(result_); }

 private:
  void compare_events(std::vector<std::int64_t> found) {
    std::vector<std::int64_t> appended = all_.appended;
    std::ranges::sort(appended);
    std::ranges::sort(found);
    std::vector<std::int64_t> lost;
    std::ranges::set_difference(appended, found, std::back_inserter(lost));
    std::vector<std::int64_t> surplus;
    std::ranges::set_difference(found, appended, std::back_inserter(surplus));
    expect(lost.size(), 0u, "lost events");
    expect(surplus.size(), 0u, "doubled or invented events");
  }
  template <class Found, class Expected>
  void expect(Found found, Expected expected, const std::string& what) {
    if (std::cmp_equal(found, expected)) return;
    say(what + ": the database has " + std::to_string(found) + ", expected " +
        std::to_string(expected));
  }
  void say(std::string sentence) { result_.broken.push_back(std::move(sentence)); }

  StatementScope& scope_;
  const Uuid& namespace_id_;
  const Ledger& all_;
  Verification result_;
};

}  // namespace

Result<Verification> verify(WorkflowStore& store, int shards, const std::vector<OwnerCount>& owners,
                            const Ledger& all) {
  forebay::postgres::TransactionOptions options("verify");
  options.isolation = forebay::postgres::Isolation::repeatable_read;
  options.is_read_only = true;
  return run_transaction_blocking(store.sessions(), options,
                                  [&](Transaction& transaction) -> Result<Verification> {
                                    Check check(transaction, store.namespace_id(), all);
                                    Result<void> done = check.check_shards(shards);
                                    const bool is_exact = all.unknown_outcomes == 0;
                                    if (done && is_exact) done = check.check_owners(owners);
                                    if (done && is_exact) done = check.check_executions(shards);
                                    if (done && is_exact) done = check.check_events(shards);
                                    if (!done) return failure(done.error());
                                    return std::move(check).result();
                                  });
}

}  // namespace workflow
