#include "forebay/cli/sim/seeds_summary.hpp"

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/cli/sim/caller_text.hpp"
#include "forebay/cli/text/figures.hpp"
#include "forebay/cli/text/text_block.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/result/json.hpp"

namespace forebay::cli {
namespace {

constexpr std::size_t kMostShown = 20;

void add_failures(const SimOptions& options, const SeedsOutcome& outcome, TextBlock& block) {
  std::size_t shown = 0;
  for (const auto& [seed, what] : outcome.failures) {
    if (++shown > kMostShown) break;
    block.keep_wrapped(block.line().add("FAILED ", Colour::red).add(fmt::format("seed {}: ", seed)),
                       what);
    block.keep_whole("  replay     " + options.replay(seed));
  }
  if (outcome.failed > kMostShown) {
    block.keep(
        block.line().add(fmt::format("and {} more seeds", grouped(outcome.failed - kMostShown))));
  }
}

}  // namespace

std::string summary_text(const SimOptions& options, const SeedsOutcome& outcome, Duration wall_time,
                         const TextStyle& style) {
  TextBlock block(style);
  const std::uint64_t held = outcome.done - outcome.failed;
  StyledLine title = block.line();
  title.add("forebay sim: ", Colour::bold).add(options.scenario.name, Colour::bold);
  title.add(fmt::format(", seeds {} to {}", options.seeds->from, options.seeds->to));
  if (outcome.failed == 0) {
    add_held(title, outcome.callers);
  } else {
    title.at_right(fmt::format("{} FAILED", grouped(outcome.failed)), Colour::red);
  }
  block.keep(title);
  block.keep_named("held", fmt::format("{} of {}", grouped(held), grouped(outcome.done)));
  block.keep_named("failed", grouped(outcome.failed));
  block.keep_named("callers", callers_text(outcome.callers));
  block.keep_named("time", fmt::format("{}, {:.1f} seeds a second, at most {} at a time",
                                       readable_time(wall_time),
                                       per_second(outcome.done, wall_time), options.jobs));
  block.keep_named(
      "events",
      fmt::format("{}, {} a second", grouped(outcome.events),
                  grouped(static_cast<std::uint64_t>(per_second(outcome.events, wall_time)))));
  if (outcome.failed > 0) {
    block.blank();
    add_failures(options, outcome, block);
  }
  return block.text();
}

std::string failures_text(const SimOptions& options, const SeedsOutcome& outcome,
                          const TextStyle& style) {
  TextBlock block(style);
  add_failures(options, outcome, block);
  return block.text();
}

std::string summary_json(const SimOptions& options, const SeedsOutcome& outcome,
                         Duration wall_time) {
  JsonList failures;
  for (const auto& [seed, what] : outcome.failures) {
    JsonObject failure;
    failures.add(failure.add("seed", seed).add("what", what).add("replay", options.replay(seed)));
  }
  JsonObject seeds;
  seeds.add("from", options.seeds->from).add("to", options.seeds->to);
  JsonObject json;
  json.add("scenario", options.scenario.name).add("seeds", seeds);
  json.add("held", outcome.done - outcome.failed).add("failed", outcome.failed);
  json.add("failures", failures).add("callers", sim::callers_object(outcome.callers));
  json.add("events", outcome.events).add("seconds", wall_time);
  return json.text() + "\n";
}

}  // namespace forebay::cli
