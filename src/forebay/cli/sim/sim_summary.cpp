#include "forebay/cli/sim/sim_summary.hpp"

#include <chrono>

#include <fmt/format.h>

#include "forebay/cli/sim/caller_text.hpp"
#include "forebay/cli/sim/process_table.hpp"
#include "forebay/cli/sim/sim_progress.hpp"
#include "forebay/cli/text/figures.hpp"
#include "forebay/cli/text/text_block.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/result/json.hpp"

namespace forebay::cli {
namespace {

constexpr std::size_t kMostFaults = 20;
constexpr int kFaultColumn = 19;  // right of "10:00 to 12:00"
constexpr int kVerdictColumn = 8;

std::uint64_t events_per_second(const sim::RunResult& result, const RunFigures& figures) {
  const double wall = seconds(figures.wall_time);
  return wall > 0 ? static_cast<std::uint64_t>(static_cast<double>(result.events) / wall) : 0;
}

std::size_t count_failed(const sim::RunResult& result) {
  std::size_t failed = result.broken_promise ? 1 : 0;
  for (const sim::Verdict& verdict : result.assertions) failed += verdict.holds ? 0 : 1;
  return failed;
}

class Summary {
 public:
  Summary(const sim::RunResult& result, const RunFigures& figures, const TextStyle& style)
      : result_(result), figures_(figures), block_(style) {}

  std::string all() {
    head();
    cluster();
    block_.blank();
    add_process_table(result_, block_);
    faults();
    verdicts();
    add_failures();
    return block_.text();
  }
  std::string failures() {
    add_failures();
    return block_.text();
  }

 private:
  void head();
  void cluster();
  void clients();
  void faults();
  void verdicts();
  void add_failures();
  void add_broken_promise(const sim::BrokenPromise& broken);

  const sim::RunResult& result_;
  const RunFigures& figures_;
  TextBlock block_;
};

void Summary::head() {
  StyledLine title = block_.line();
  title.add("forebay sim: ", Colour::bold).add(result_.scenario, Colour::bold);
  title.add(fmt::format(", seed {}", result_.seed));
  if (result_.holds()) {
    add_held(title, result_.callers());
  } else {
    title.at_right(fmt::format("{} FAILED", count_failed(result_)), Colour::red);
  }
  block_.keep(title);
  if (!result_.description.empty()) {
    block_.keep_wrapped(block_.line().add("  "), result_.description, Colour::dim);
  }
  const double wall = seconds(figures_.wall_time);
  std::string time = fmt::format("{} of virtual time in {}", readable_time(result_.duration),
                                 readable_time(figures_.wall_time));
  if (wall > 0) {
    const auto times = static_cast<std::uint64_t>(seconds(result_.duration) / wall);
    time += fmt::format(", {} times as fast", grouped(times));
  }
  block_.keep_named("time", time);
  std::string events = fmt::format("{}, {} a second", grouped(result_.events),
                                   grouped(events_per_second(result_, figures_)));
  if (figures_.peak_memory > 0) {
    events += fmt::format("; memory {} MB at most", (figures_.peak_memory + 999'999) / 1'000'000);
  }
  block_.keep_named("events", events);
  block_.keep_named("trace", fmt::format("{:016x}", result_.trace_hash));
}

void Summary::cluster() {
  block_.keep_named(
      "connects",
      fmt::format("{} in a second at most; the limit is {:g}, burst {}",
                  grouped(static_cast<std::uint64_t>(result_.most_connects_in_a_second)),
                  result_.connects_per_second, result_.connect_burst));
  block_.keep_named(
      "sessions",
      fmt::format("{} at most; {}", grouped(static_cast<std::uint64_t>(result_.most_sessions)),
                  result_.max_connections
                      ? fmt::format("the cap is {}",
                                    grouped(static_cast<std::uint64_t>(*result_.max_connections)))
                      : "there is no cap"));
  if (result_.conflicts > 0) block_.keep_named("conflicts", grouped(result_.conflicts));
  block_.keep_named("callers", callers_text(result_.callers()));
  clients();
  const sim::WaitPercentiles& waits = result_.waits;
  if (waits.count == 0) return;
  block_.keep_named(
      "waits", fmt::format("p50 {}, p90 {}, p99 {}, p99.9 {}, max {}", readable_time(waits.p50),
                           readable_time(waits.p90), readable_time(waits.p99),
                           readable_time(waits.p999), readable_time(waits.max)));
}

// Of proxies. Their callers are what the clients send.
void Summary::clients() {
  const std::optional<sim::ClientFigures> clients = result_.clients();
  if (!clients) return;
  block_.keep_named(
      "clients",
      fmt::format("{} at once; {} log-ins, {} sessions lost; {} found no server in time",
                  grouped(static_cast<std::uint64_t>(clients->clients)), grouped(clients->log_ins),
                  grouped(clients->lost), grouped(clients->unserved)));
}

void Summary::faults() {
  if (result_.faults.empty() && figures_.faults_left_out == 0) return;
  block_.blank();
  block_.keep(block_.line().add("faults", Colour::bold));
  std::size_t shown = 0;
  for (const sim::FaultMark& fault : result_.faults) {
    if (++shown > kMostFaults) break;
    const std::string when = fault.until > fault.at ? fmt::format("{} to {}", clock_text(fault.at),
                                                                  clock_text(fault.until))
                                                    : clock_text(fault.at);
    block_.keep_wrapped(
        block_.line().to_column(2).add(when).to_column(kFaultColumn),
        fault.text.empty() ? fault.kind : fmt::format("{}: {}", fault.kind, fault.text));
    StyledLine line = block_.line();
    line.to_column(kFaultColumn);
    if (fault.recovered_after) {
      line.add(fmt::format("recovered after {}", readable_time(*fault.recovered_after)),
               Colour::green);
    } else {
      line.add("not seen to recover", Colour::yellow);
    }
    block_.keep(line);
  }
  if (figures_.faults_left_out > 0) {
    block_.keep_wrapped(block_.line().to_column(2),
                        fmt::format("{} faults of the scenario come after the end of this run",
                                    figures_.faults_left_out),
                        Colour::yellow);
  }
  if (result_.faults.size() > kMostFaults) {
    block_.keep_named("", fmt::format("{} more", result_.faults.size() - kMostFaults));
  }
}

void Summary::verdicts() {
  block_.blank();
  block_.keep(block_.line().add("assertions", Colour::bold));
  for (const sim::Verdict& verdict : result_.assertions) {
    StyledLine line = block_.line();
    line.add("  ").add(verdict.holds ? "pass" : "FAIL",
                       verdict.holds ? Colour::green : Colour::red);
    block_.keep_wrapped(
        line.to_column(kVerdictColumn),
        fmt::format("{}: {}; expected: {}", verdict.name, verdict.seen, verdict.expected));
  }
  StyledLine line = block_.line();
  const bool is_broken = result_.broken_promise.has_value();
  line.add("  ").add(is_broken ? "FAIL" : "pass", is_broken ? Colour::red : Colour::green);
  block_.keep_wrapped(line.to_column(kVerdictColumn),
                      is_broken ? fmt::format("promise {}", result_.broken_promise->promise)
                                : "promises, checked after every event");
}

void Summary::add_failures() {
  if (result_.holds()) return;
  if (!block_.text().empty()) block_.blank();
  if (result_.broken_promise) add_broken_promise(*result_.broken_promise);
  for (const sim::Verdict& verdict : result_.assertions) {
    if (verdict.holds) continue;
    block_.keep(block_.line()
                    .add("FAILED ", Colour::red)
                    .add(verdict.name, Colour::bold)
                    .add(fmt::format(" of {}, seed {}", result_.scenario, result_.seed)));
    block_.keep_named("expected", verdict.expected);
    block_.keep_named("seen", verdict.seen);
    if (verdict.when) block_.keep_named("at", clock_text(*verdict.when));
  }
  block_.keep_whole("  replay     " + figures_.replay);
}

void Summary::add_broken_promise(const sim::BrokenPromise& broken) {
  block_.keep(block_.line()
                  .add("BROKEN ", Colour::red)
                  .add(fmt::format("promise {}", broken.promise), Colour::bold)
                  .add(fmt::format(" of {}, seed {}", result_.scenario, result_.seed)));
  block_.keep_named("what", broken.what);
  block_.keep_named(
      "at", fmt::format("{}, after event {}", clock_text(broken.when), grouped(broken.event)));
  if (!broken.process.empty()) block_.keep_named("process", broken.process);
  if (!broken.state.empty()) block_.keep_named("state", broken.state);
}

}  // namespace

std::string summary_text(const sim::RunResult& result, const RunFigures& figures,
                         const TextStyle& style) {
  return Summary(result, figures, style).all();
}

std::string failures_text(const sim::RunResult& result, const RunFigures& figures,
                          const TextStyle& style) {
  return Summary(result, figures, style).failures();
}

std::string summary_json(const sim::RunResult& result, const RunFigures& figures) {
  JsonObject json = sim::result_object(result);
  json.add("wall_seconds", std::chrono::round<std::chrono::microseconds>(figures.wall_time));
  json.add("events_per_second", events_per_second(result, figures));
  return json.text() + "\n";
}

}  // namespace forebay::cli
