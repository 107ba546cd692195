#include "forebay/cli/sim/simulate.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <sys/resource.h>

#include "forebay/base/log.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/crash.hpp"
#include "forebay/cli/sim/output_file.hpp"
#include "forebay/cli/sim/scenario_choice.hpp"
#include "forebay/cli/sim/seed_runs.hpp"
#include "forebay/cli/sim/seeds_summary.hpp"
#include "forebay/cli/sim/sim_progress.hpp"
#include "forebay/cli/sim/sim_summary.hpp"
#include "forebay/cli/sim/single_run.hpp"
#include "forebay/cli/text/terminal.hpp"
#include "forebay/sim/result/csv.hpp"
#include "forebay/sim/result/report.hpp"

namespace forebay::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Simulated pools warn of simulated troubles, by the thousand. The result tells them better.
class SilentLog {
 public:
  SilentLog() {
    log::set_sink([](const log::Event&) {});
  }
  SilentLog(const SilentLog&) = delete;
  SilentLog& operator=(const SilentLog&) = delete;
  ~SilentLog() { log::set_sink({}); }
};

// A world that crashes the process at least says which one it was.
class CrashNotes {
 public:
  CrashNotes() { add_crash_action(&write_crash_note); }
  CrashNotes(const CrashNotes&) = delete;
  CrashNotes& operator=(const CrashNotes&) = delete;
  ~CrashNotes() { remove_crash_action(&write_crash_note); }
};

bool print(const std::string& text, std::FILE* out = stdout) {
  return std::fputs(text.c_str(), out) >= 0 && std::fflush(out) == 0;
}

bool is_visible(const SimOptions& options) { return !options.is_json && !options.is_quiet; }

std::uint64_t peak_memory() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::size_t faults_after_the_end(const sim::Scenario& scenario) {
  return static_cast<std::size_t>(std::ranges::count_if(
      scenario.faults, [&](const sim::FaultSpec& fault) { return fault.at >= scenario.duration; }));
}

// All of them are complete before the first appears.
Result<void> write_files(const SimOptions& options, const sim::RunResult& result) {
  std::vector<std::unique_ptr<OutputFile>> files;
  if (options.out) {
    files.push_back(std::make_unique<OutputFile>(*options.out));
    sim::write_csv(result, files.back()->stream());
  }
  if (options.report) {
    files.push_back(std::make_unique<OutputFile>(*options.report));
    sim::write_report(result, files.back()->stream());
  }
  for (const auto& file : files) {
    const Result<void> completed = file->complete();
    if (!completed) return failure(completed.error());
  }
  for (const auto& file : files) {
    const Result<void> published = file->publish();
    if (!published) return failure(published.error());
  }
  return {};
}

int report_interrupted(const SingleRun& run, const SimOptions& options) {
  print(fmt::format("forebay sim: interrupted at {} of {} of virtual time, after {} events{}\n",
                    clock_text(run.virtual_time()), clock_text(options.scenario.duration),
                    grouped(run.events()),
                    options.out || options.report ? "; no file was written" : ""),
        stderr);
  return kInterrupted;
}

int print_outcome(const SimOptions& options, const sim::RunResult& result,
                  const RunFigures& figures) {
  const TextStyle style = output_style();
  bool is_told = true;
  if (options.is_json) {
    is_told = print(summary_json(result, figures));
    print(failures_text(result, figures, TextStyle{style.width, false, style.has_unicode}), stderr);
  } else if (options.is_quiet) {
    is_told = print(failures_text(result, figures, style));
  } else {
    is_told = print(summary_text(result, figures, style));
  }
  return result.holds() && is_told ? kDone : kFailed;
}

int run_one(const SimOptions& options) {
  Interrupt interrupt;
  const Clock::time_point begun = Clock::now();
  SingleRun run(options);
  ProgressLine line;
  if (is_visible(options)) {
    line = [&](Duration elapsed, const TextStyle& style) {
      return progress_line(RunProgress{options.scenario.name, run.virtual_time(),
                                       options.scenario.duration, run.events(), elapsed},
                           style);
    };
  }
  attend(run, interrupt, line);
  RunFigures figures;
  figures.wall_time = Clock::now() - begun;
  if (run.was_stopped()) return report_interrupted(run, options);
  figures.peak_memory = peak_memory();
  figures.faults_left_out = faults_after_the_end(options.scenario);
  figures.replay = run.result().replay;
  const Result<void> written = write_files(options, run.result());
  const int code = print_outcome(options, run.result(), figures);
  if (written) return code;
  print(fmt::format("forebay sim: {}\n", written.error().text()), stderr);
  return kFailed;
}

int print_outcome(const SimOptions& options, const SeedsOutcome& outcome, Duration wall_time) {
  const TextStyle style = output_style();
  bool is_told = true;
  if (options.is_json) {
    is_told = print(summary_json(options, outcome, wall_time));
    print(failures_text(options, outcome, TextStyle{style.width, false, style.has_unicode}),
          stderr);
  } else if (options.is_quiet) {
    is_told = print(failures_text(options, outcome, style));
  } else {
    is_told = print(summary_text(options, outcome, wall_time, style));
  }
  return outcome.failed == 0 && is_told ? kDone : kFailed;
}

int run_many(const SimOptions& options) {
  Interrupt interrupt;
  const Clock::time_point begun = Clock::now();
  SeedRuns runs(options);
  const std::uint64_t count = options.seeds->count();
  ProgressLine line;
  if (is_visible(options)) {
    line = [&](Duration elapsed, const TextStyle& style) {
      const SeedsOutcome so_far = runs.outcome();
      return progress_line(
          SeedsProgress{options.scenario.name, so_far.done, count, so_far.failed, elapsed}, style);
    };
  }
  attend(runs, interrupt, line);
  const Duration wall_time = Clock::now() - begun;
  const SeedsOutcome outcome = runs.outcome();
  if (outcome.done == count) return print_outcome(options, outcome, wall_time);
  // What failed so far is worth knowing, but one JSON object that is not whole is worth nothing.
  if (!options.is_json) print(failures_text(options, outcome, output_style()));
  print(fmt::format("forebay sim: interrupted after {} of {} seeds, {} of them failed\n",
                    grouped(outcome.done), grouped(count), grouped(outcome.failed)),
        stderr);
  return kInterrupted;
}

}  // namespace

int simulate(const SimOptions& options) {
  if (options.is_list) {
    return print(options.is_json ? scenario_list_json() : scenario_list_text(output_style().width))
               ? kDone
               : kFailed;
  }
  const SilentLog silence;
  const CrashNotes notes;
  return options.seeds ? run_many(options) : run_one(options);
}

}  // namespace forebay::cli
