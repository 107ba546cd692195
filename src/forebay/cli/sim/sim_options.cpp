#include "forebay/cli/sim/sim_options.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/cli/sim/output_file.hpp"
#include "forebay/cli/sim/scenario_choice.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/result/report.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"

namespace forebay::cli {
namespace {

using Problems = std::vector<std::string>;

constexpr std::uint64_t kMostSeeds = 10'000'000;
constexpr int kMostJobs = 1'024;
constexpr Duration kLongestRun = std::chrono::hours(24 * 365);  // as in scenario files

std::optional<SeedRange> parse_seeds(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto count = parse_number<std::uint64_t>(text);
    if (!count || *count == 0) return std::nullopt;
    return SeedRange{1, *count};
  }
  const auto from = parse_number<std::uint64_t>(text.substr(0, dots));
  const auto to = parse_number<std::uint64_t>(text.substr(dots + 2));
  if (!from || !to) return std::nullopt;
  return SeedRange{*from, *to};
}

void read_seeds(const SimArguments& arguments, SimOptions& options, Problems& problems) {
  if (arguments.seed && arguments.seeds) {
    problems.emplace_back("--seed and --seeds exclude each other: one run, or many");
  }
  if (arguments.seed) {
    const auto seed = parse_number<std::uint64_t>(*arguments.seed);
    if (seed)
      options.scenario.seed = *seed;
    else
      problems.push_back(fmt::format("--seed is {}: it must be a whole number from 0 to {}",
                                     shown(*arguments.seed), UINT64_MAX));
  }
  if (!arguments.seeds) return;
  options.seeds = parse_seeds(*arguments.seeds);
  if (!options.seeds) {
    problems.push_back(fmt::format("--seeds is {}: it must be a range, as in 1..1000, or how many",
                                   shown(*arguments.seeds)));
  } else if (options.seeds->to < options.seeds->from) {
    problems.push_back(fmt::format("--seeds is {}: {} comes after {}; write {}..{}",
                                   shown(*arguments.seeds), options.seeds->from, options.seeds->to,
                                   options.seeds->to, options.seeds->from));
  } else if (options.seeds->to - options.seeds->from >= kMostSeeds) {
    problems.push_back(fmt::format("--seeds is {}: at most {} seeds are possible at once",
                                   shown(*arguments.seeds), kMostSeeds));
  }
}

void read_jobs(const SimArguments& arguments, SimOptions& options, Problems& problems) {
  options.jobs = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  if (!arguments.jobs) return;
  const auto jobs = parse_number<int>(*arguments.jobs);
  if (!jobs || *jobs < 1 || *jobs > kMostJobs) {
    problems.push_back(fmt::format("--jobs is {}: it must be a whole number from 1 to {}",
                                   shown(*arguments.jobs), kMostJobs));
    return;
  }
  options.jobs = *jobs;
  if (!arguments.seeds) problems.emplace_back("--jobs is of use with --seeds only");
}

void read_output(const char* option, const std::optional<std::string>& path, bool has_seeds,
                 Problems& problems) {
  if (!path) return;
  if (has_seeds) {
    problems.push_back(fmt::format(
        "{} and --seeds exclude each other: find a seed first, then replay it with --seed and {}",
        option, option));
    return;
  }
  const std::optional<std::string> problem = problem_with_output(*path);
  if (problem) problems.push_back(fmt::format("{} is {}: {}", option, shown(*path), *problem));
}

void read_outputs(const SimArguments& arguments, SimOptions& options, Problems& problems) {
  options.out = arguments.out;
  options.report = arguments.report;
  const std::size_t before = problems.size();
  read_output("--out", options.out, arguments.seeds.has_value(), problems);
  read_output("--report", options.report, arguments.seeds.has_value(), problems);
  const auto place = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::weakly_canonical(path, error);
  };
  if (options.out && options.report && place(*options.out) == place(*options.report)) {
    problems.emplace_back("--out and --report name the same file");
  }
  if (options.report && problems.size() == before && !sim::has_report()) {
    problems.emplace_back(
        "--report cannot be had from this program: it was built where there was no npm. Install "
        "npm and build again; --out and --json give the same numbers without it");
  }
}

std::optional<Duration> read_duration(const SimArguments& arguments, Problems& problems) {
  if (!arguments.duration) return std::nullopt;
  const std::optional<Duration> duration = parse_duration(*arguments.duration);
  if (duration && *duration > Duration::zero() && *duration <= kLongestRun) return duration;
  problems.push_back(
      fmt::format("--duration is {}: it must be a time above zero with its unit, as in 30s, 5m or "
                  "2h, and at most 365 days",
                  shown(*arguments.duration)));
  return std::nullopt;
}

// The reader has judged the scenario's own duration in the same way. Faults may come after the new
// end: to look at the time before them is a good reason to shorten a run.
void apply_duration(Duration duration, sim::Scenario& scenario, Problems& problems) {
  scenario.duration = duration;
  if (scenario.sample_every > duration) {
    problems.push_back(
        fmt::format("--duration is {}: it is shorter than sampleEvery of the scenario, {}",
                    duration_text(duration), duration_text(scenario.sample_every)));
  }
  const auto processes = static_cast<std::int64_t>(sim::processes(scenario).size());
  const std::int64_t most = std::min<std::int64_t>(
      sim::kMostSamples, sim::kMostSamplesOfAll / std::max<std::int64_t>(processes, 1));
  if (duration / scenario.sample_every > most) {
    problems.push_back(
        fmt::format("--duration is {}: with sampleEvery {} and {} processes it can be {} at most",
                    duration_text(duration), duration_text(scenario.sample_every), processes,
                    duration_text(scenario.sample_every * most)));
  }
}

void read_list(const SimArguments& arguments, Problems& problems) {
  const bool has_more = arguments.file || arguments.seed || arguments.seeds || arguments.duration ||
                        arguments.jobs || arguments.out || arguments.report || arguments.is_quiet;
  if (has_more) problems.emplace_back("--list runs nothing: only --json can stand beside it");
}

std::string for_a_shell(const std::string& word) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string SimOptions::replay(std::uint64_t seed) const {
  return fmt::format("forebay sim {} --seed {}{}", for_a_shell(file), seed,
                     duration ? " --duration " + duration_text(*duration) : "");
}

std::string SimOptions::crash_note(std::uint64_t seed) const {
  return fmt::format("forebay sim: the program crashed in seed {}; replay: {}\n", seed,
                     replay(seed));
}

SimOptions read(const SimArguments& arguments, Problems& problems) {
  SimOptions options;
  options.is_json = arguments.is_json;
  options.is_quiet = arguments.is_quiet;
  options.is_list = arguments.is_list;
  if (options.is_list) {
    read_list(arguments, problems);
    return options;
  }
  options.file = arguments.file.value_or(kDefaultScenario);
  sim::ScenarioReading reading = choose_scenario(options.file);
  const bool has_scenario = reading.problems.empty();
  options.scenario = std::move(reading.scenario);
  std::ranges::move(reading.problems, std::back_inserter(problems));
  read_seeds(arguments, options, problems);
  read_jobs(arguments, options, problems);
  options.duration = read_duration(arguments, problems);
  if (has_scenario && options.duration) {
    apply_duration(*options.duration, options.scenario, problems);
  }
  read_outputs(arguments, options, problems);
  return options;
}

}  // namespace forebay::cli
