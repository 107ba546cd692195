#include "forebay/config/reference.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "forebay/config/pool_settings.hpp"
#include "forebay/config/route_text.hpp"
#include "forebay/config/setting.hpp"

namespace forebay::config {
namespace {

constexpr std::string_view kExample = R"(database:
  host: abcdefghijklmnopqrstuvwxyz.dsql.eu-west-1.on.aws
  user: orders
reservoir:
  enabled: true
  target_ready: 50
leases:
  enabled: true
  table: connections
  limit: 8000
rate:
  enabled: true
  table: connections
pool:
  max: 60
retry:
  max_retries: 8
)";

constexpr std::string_view kIntroduction = R"(# Configuration

This page is printed by `forebay config reference`; a test compares them.

A configuration is made in code (`forebay::Configuration`), or read from a YAML file, the
environment or both (`forebay::read_configuration_blocking`,
[configuration.hpp](../include/forebay/configuration.hpp)). A variable overrides the file, the file
overrides the default. `forebay config check [FILE]` shows the values in force and where each came
from, without secrets; or everything that is wrong, with exit code 2.

The file is the one that the caller names, else the one that `FOREBAY_CONFIG` names, else none.
Its keys are grouped:

```yaml
{}```

How values are written:

- **time**: a number and a unit, as in `250ms`, `45s`, `11m`, `1h30m`; `0` needs no unit.
  Everything that Go's `time.ParseDuration` reads is accepted.
- **true or false**: also `yes`, `no`, `on`, `off`, `t`, `f`, `1`, `0`, in any case.
- **names and values**: in a file a group of keys, `session_settings: {{search_path: "app, x"}}`,
  or as in a variable: `search_path='app, x' jit=off`, with a backslash before quotes inside.
- **names** and **addresses**, with commas between: in a file also a list, `[f, app.g]`.
- A variable that is empty is not set.

What happens to values that make no sense:

- A variable of a switch (`DSQL_RESERVOIR_ENABLED`, `DSQL_DISTRIBUTED_CONN_LEASE_ENABLED`,
  `DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED`) that is neither true nor false counts as false, with a
  warning.
- `reservoir.target_ready` below `reservoir.low_watermark` is raised to it; a
  `reservoir.base_lifetime` of zero or less becomes the default; a negative
  `reservoir.lifetime_jitter` or `reservoir.guard_window` becomes zero. Each with a warning.
- Everything else is refused: values that cannot be read, that are out of range, or that
  contradict each other, and keys of the file that are unknown or given twice.
- There is a warning for unknown variables that begin with `DSQL_` or `FOREBAY_`. Those that begin
  with `DB_` may belong to others and are left alone.
- There is a warning for values that have no effect, because what they belong to is switched off or
  replaced by something else.
- What may hold a password in the wrong place is refused and not shown.

Variables that begin with `DSQL_` and `DB_` have the names, defaults and rules that older services
know, with two differences. `DSQL_RESERVOIR_LOW_WATERMARK` is `reservoir.target_ready` unless it is
given, and not the maximum of the pool: there it says when refilling gets faster; here the start
waits for that many, and a target below the maximum would always be raised to it. And what
is meant for Aurora DSQL is a default for its hosts only, as the next table says.

## Defaults that depend on the server

They are the same for a pool made in code and for one made from a configuration. A host is Aurora
DSQL's if its name is `*.dsql*.<region>.on.aws`. `forebay config check` says which of these hold.

| setting | PostgreSQL | Aurora DSQL | Aurora DSQL, reservoir | where it comes from |
|---|---|---|---|---|
)";

struct DefaultReason {
  std::string_view key;
  std::string_view reason;
};

constexpr auto kReasons = std::to_array<DefaultReason>({
    {"pool.max",
     "a tenth of what a PostgreSQL allows as it is installed, which others use too; on Aurora DSQL "
     "as older services"},
    {"pool.keep_open",
     "connects are rationed on Aurora DSQL, so that all are opened at the start and held by the "
     "keeper, as older services do"},
    {"pool.max_lifetime",
     "older services with tenants on PostgreSQL; on Aurora DSQL its limit of a session, 60m, less "
     "that of a transaction, 5m"},
    {"reservoir.base_lifetime", "older services with a reservoir, on whichever server"},
    {"pool.max_idle_time",
     "older services with tenants on PostgreSQL; on Aurora DSQL a pool must not shrink when it is "
     "idle, for it could not grow again in time"},
    {"pool.connect_rate",
     "PostgreSQL has no such limit; a tenth of the 100 of a cluster of Aurora DSQL, because a "
     "process does not know how many others there are"},
    {"pool.connect_burst", "in the same way a tenth of a cluster's 1,000"},
});

constexpr auto kHeadings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"database", "which database, and as whom"},
    {"pool", "how many connections, and how they are treated"},
    {"reservoir", "connections that are ready ahead of demand"},
    {"leases", "one limit of connections for many processes"},
    {"rate", "one rate of connects for many processes"},
    {"startup", "so that processes that start together do not connect together"},
    {"cluster", "who this process is to the others, and how it reaches them"},
    {"tenants", "a database each, under one budget"},
    {"retry", "transactions that lost a conflict"},
    {"log", "what is told, and how"},
    {"proxy", "what `forebay serve` does for its clients"},
});

constexpr std::string_view kRouteExample = R"(database:
  host: db.example
  user: temporal
pool:
  max: 50
proxy:
  listen: [127.0.0.1:6432, /run/forebay/.s.PGSQL.6432]
  query_wait: 5s
  routes:
    - database: temporal
    - database: temporal_visibility
      pool: {max: 10}
      query_limit: 30s
    - database: reports
      user: analyst
      target: {host: replica.example, name: orders}
      pooling: session
)";

constexpr std::string_view kRoutes = R"(
## `proxy.routes`: which clients are served where

```yaml
{}```

A list in the file; each has a pool of its own to one database. Without it there is one route: every
user who asks for the database of the target is served there. [proxy.md](proxy.md#routes) tells how
clients find their route.

| key of a route | |
|---|---|
| `database` | what clients ask for: a name, or `*` for any, which is the default |
| `user` | who they say they are: a name, or `*` for any, which is the default |
)";

constexpr std::string_view kRoutesEnd = R"(
What a route does not say is as for all routes; what it says counts more than a variable. A
`target.url` says all of its target. A route with a name that does not say which database it leads
to leads to the one of that name. What belongs to a server must be the same in all routes to it:
`leases`, `rate`, `startup`, `cluster`, `pool.connect_rate` and `pool.connect_burst`; and together
they keep to `tenants.max_connections`, if that is given.
)";

std::string_view heading(std::string_view group) {
  for (const auto& [name, text] : kHeadings) {
    if (name == group) return text;
  }
  return "";
}

std::string in_code(std::string_view text) { return fmt::format("`{}`", text); }

std::string word_at(const Setting& setting, const postgres::ServerProfile& profile,
                    bool is_reservoir) {
  Settings settings;
  settings.is_reservoir = is_reservoir;
  return setting.value.word(completed(settings, profile));
}

std::string defaults_by_server() {
  const auto postgresql = postgres::ServerProfile::postgresql();
  const auto dsql = postgres::ServerProfile::dsql();
  std::string rows;
  for (const DefaultReason& each : kReasons) {
    const Setting& setting = setting_of(each.key);
    const auto cell = [&](const postgres::ServerProfile& profile, bool is_reservoir) {
      return in_code(word_at(setting, profile, is_reservoir));
    };
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", in_code(each.key), cell(postgresql, false),
                        cell(dsql, false), cell(dsql, true), each.reason);
  }
  return rows;
}

std::string default_text(const Setting& setting) {
  const std::string always = setting.value.word(Settings());
  if (!always.empty()) return in_code(always);
  const std::string here = word_at(setting, postgres::ServerProfile::postgresql(), false);
  const std::string there = word_at(setting, postgres::ServerProfile::dsql(), false);
  std::string otherwise(setting.otherwise.empty() ? "none" : setting.otherwise);
  if (here.empty()) return otherwise;
  const std::string words =
      here == there ? in_code(here)
                    : fmt::format("{}, {} on Aurora DSQL", in_code(here), in_code(there));
  return setting.otherwise.empty() ? words : fmt::format("{} if given, else {}", otherwise, words);
}

std::string keys_of_routes() {
  std::string rows;
  std::string_view group;
  std::string names;
  const auto finish = [&] {
    if (names.empty()) return;
    rows += fmt::format("| {} | as in `{}` |\n", names, group);
    names.clear();
  };
  for (const Setting& setting : all_settings()) {
    const std::string key = key_in_route(setting);
    if (key.empty()) continue;
    if (setting.group() != group) finish();
    group = setting.group();
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", key);
  }
  finish();
  return rows;
}

}  // namespace

std::string_view example_file() { return kExample; }
std::string_view example_file_of_routes() { return kRouteExample; }

std::string reference() {
  std::string page = fmt::format(fmt::runtime(kIntroduction), kExample) + defaults_by_server();
  std::string_view group;
  for (const Setting& setting : all_settings()) {
    if (setting.group() != group) {
      group = setting.group();
      page += fmt::format(
          "\n## `{}`: {}\n\n| key | variable | type | default | |\n|---|---|---|---|---|\n", group,
          heading(group));
    }
    page += fmt::format("| {} | {} | {} | {} | {} |\n", in_code(setting.name()),
                        in_code(setting.variable), setting.value.type, default_text(setting),
                        setting.help);
  }
  page += fmt::format(fmt::runtime(kRoutes), kRouteExample) + keys_of_routes();
  page += kRoutesEnd;
  return page;
}

}  // namespace forebay::config
