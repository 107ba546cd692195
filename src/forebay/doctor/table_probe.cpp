#include "forebay/doctor/table_probe.hpp"

#include <array>

namespace forebay::doctor {
namespace {

constexpr const char* kKey = "forebay_doctor";

// Holds for no item, be it there or not. AWS looks at permissions first, so a request with it tells
// whether we may write, and writes nothing.
constexpr const char* kNever = "attribute_exists(pk) AND attribute_not_exists(pk)";

constexpr std::array kKinds{aws::Write::Kind::put, aws::Write::Kind::update,
                            aws::Write::Kind::remove};

aws::Write harmless(aws::Write::Kind kind, const std::string& table) {
  aws::Write write(kind, table, kKey);
  write.condition = kNever;
  write.is_repeatable = true;
  if (kind == aws::Write::Kind::update) {
    write.update = "SET looked_at = :zero";
    write.values = {{":zero", aws::AttributeValue::number(0)}};
  }
  return write;
}

}  // namespace

Task<TableFacts> look_at_table(Scheduler& scheduler, aws::DynamoDb& client, ClusterTable table,
                               Duration timeout) {
  TableFacts facts(table.table, table.purpose);
  const auto deadline = [&scheduler, timeout] { return deadline_after(scheduler.now(), timeout); };
  const Result<aws::TableState> state = co_await client.describe_table(table.table, deadline());
  if (state) facts.state = *state;
  if (!state) facts.state_failure = state.error();
  if (!state && state.error().code() != Errc::refused) {
    facts.read_failure = state.error();  // it is away: asking more takes as long again
    co_return facts;
  }
  if (state && !(state->exists && state->is_active && state->has_right_key)) co_return facts;

  const Instant begin = scheduler.now();
  const Result<std::optional<aws::Item>> read = co_await client.get(table.table, kKey, deadline());
  facts.latency = scheduler.now() - begin;
  if (!read) {
    facts.read_failure = read.error();
    co_return facts;
  }
  const Result<aws::TtlState> ttl = co_await client.describe_ttl(table.table, deadline());
  if (ttl) facts.ttl = *ttl;
  if (!ttl) facts.ttl_failure = ttl.error();
  std::vector<std::string> keys{kKey};
  const Result<std::vector<aws::Item>> several =
      co_await client.get_all(table.table, std::move(keys), deadline());
  if (!several) facts.refusals.push_back(several.error());
  const Result<std::vector<aws::Item>> scanned =
      co_await client.scan(table.table, kKey, deadline());
  if (!scanned) facts.refusals.push_back(scanned.error());
  for (const aws::Write::Kind kind : kKinds) {
    aws::Write write = harmless(kind, table.table);
    const Result<aws::WriteReply> reply = co_await client.write(std::move(write), deadline());
    if (!reply) facts.refusals.push_back(reply.error());
  }
  co_return facts;
}

}  // namespace forebay::doctor
