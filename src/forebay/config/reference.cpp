#include "forebay/config/reference.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

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
[configuration.hpp](../include/forebay/configuration.hpp)). A variable counts more than the file,
the file more than the default. `forebay config check [FILE]` shows what holds in the end and
where each value came from, without secrets, or everything that is wrong at once, with exit code
2.

The file is the one that is named, else the one that `FOREBAY_CONFIG` names, else none. Its keys
stand in groups:

```yaml
{}```

How values are written:

- **time**: a number and a unit, as in `250ms`, `45s`, `11m`, `1h30m`; `0` needs no unit.
- **true or false**: also `yes`, `no`, `on`, `off`, `t`, `f`, `1`, `0`, in any case.
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
- Unknown variables that begin with `DSQL_` or `FOREBAY_` are warned of. Those that begin with
  `DB_` may belong to others and are left alone.
- Values that have no effect, since what they belong to is switched off or replaced by something
  else, are warned of.
- What may hold a password in the wrong place is refused and not shown.

Variables that begin with `DSQL_` and `DB_` have the names, defaults and rules that older services
know, with one difference: `DSQL_RESERVOIR_LOW_WATERMARK` is `reservoir.target_ready` unless it is
given, and not the maximum of the pool. There it says when refilling gets faster; here the start
waits until so many are ready, and a target below the maximum would always be raised to it.
)";

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
});

std::string_view heading(std::string_view group) {
  for (const auto& [name, text] : kHeadings) {
    if (name == group) return text;
  }
  return "";
}

std::string in_code(std::string_view text) { return fmt::format("`{}`", text); }

}  // namespace

std::string_view example_file() { return kExample; }

std::string reference() {
  const Settings defaults;
  std::string page = fmt::format(fmt::runtime(kIntroduction), kExample);
  std::string_view group;
  for (const Setting& setting : all_settings()) {
    if (setting.group() != group) {
      group = setting.group();
      page += fmt::format(
          "\n## `{}`: {}\n\n| key | variable | type | default | |\n|---|---|---|---|---|\n", group,
          heading(group));
    }
    const std::string word = setting.value.word(defaults);
    const std::string otherwise = word.empty() ? std::string(setting.otherwise) : in_code(word);
    page += fmt::format("| {} | {} | {} | {} | {} |\n", in_code(setting.name()),
                        in_code(setting.variable), setting.value.type,
                        otherwise.empty() ? "none" : otherwise, setting.help);
  }
  return page;
}

}  // namespace forebay::config
