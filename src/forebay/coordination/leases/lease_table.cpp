#include "forebay/coordination/leases/lease_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/sleep.hpp"

namespace forebay {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(500);

// A new table can be used after some seconds.
Task<Result<aws::TableState>> wait_until_active(Env env, aws::DynamoDb& client, std::string table,
                                                Duration timeout, Instant deadline) {
  for (;;) {
    const Instant limit = deadline_after(env.scheduler.now(), timeout);
    Result<aws::TableState> state = co_await client.describe_table(table, limit);
    if (!state || state->is_active) co_return state;
    const Instant next = env.scheduler.now() + kLookEvery;
    if (next >= deadline)
      co_return failure(Errc::timed_out,
                        fmt::format("table {} is still being made; run the same command again in "
                                    "a minute",
                                    table));
    co_await sleep_until(env.scheduler, next);
  }
}

std::string wrong_key(const std::string& table, const aws::TableState& state) {
  return fmt::format(
      "table {} exists, but its key is {}; leases need a table whose only key is the text \"pk\": "
      "choose another name",
      table, state.key.empty() ? "not known" : state.key);
}

}  // namespace

Task<Result<TableSetup>> set_up_table(Env env, aws::DynamoDb& client, std::string table,
                                      Duration timeout, Instant deadline) {
  TableSetup setup;
  const auto limit = [&] { return deadline_after(env.scheduler.now(), timeout); };
  Instant until = limit();
  Result<aws::TableState> state = co_await client.describe_table(table, until);
  if (!state) co_return failure(state.error());
  setup.was_there = state->exists;
  if (!state->exists) {
    until = limit();
    const Result<void> created = co_await client.create_table(table, until);
    if (!created) co_return failure(created.error());
  } else if (!state->has_right_key) {
    co_return failure(Errc::invalid, wrong_key(table, *state));
  }
  state = co_await wait_until_active(env, client, table, timeout, deadline);
  if (!state) co_return failure(state.error());
  setup.billing_mode = state->billing_mode;

  until = limit();
  const Result<aws::TtlState> ttl = co_await client.describe_ttl(table, until);
  if (!ttl) co_return failure(ttl.error());
  setup.had_ttl = ttl->is_enabled && ttl->attribute == kTtlAttribute;
  if (setup.had_ttl) co_return setup;
  if (ttl->is_enabled)
    co_return failure(
        Errc::invalid,
        fmt::format("table {} deletes items by the attribute {}, not {}: switch that off first, or "
                    "choose another table",
                    table, ttl->attribute, kTtlAttribute));
  until = limit();
  const Result<void> enabled = co_await client.enable_ttl(table, kTtlAttribute, until);
  if (!enabled) co_return failure(enabled.error());
  co_return setup;
}

}  // namespace forebay
