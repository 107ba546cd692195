// Runs a scenario whose fourth process takes leases that no store knows of, and prints what the
// simulator says of it: forebay_planted_bug fleet.yaml
#include <cstdio>

#include "forebay/cli/sim/sim_summary.hpp"
#include "forebay/sim/run.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/tampering.hpp"

namespace {

using namespace forebay;

class FromNowhere final : public LeaseSource {
 public:
  Task<Result<Lease>> acquire(Instant) override { co_return Lease(*this); }

 private:
  void give_back() noexcept override {}
  bool stands(std::uint64_t) const override { return true; }
};

class PlantedBug final : public sim::Tampering {
 public:
  LeaseSource* leases(LeaseSource* honest) override { return ++lives_ == 4 ? &source_ : honest; }

 private:
  int lives_ = 0;
  FromNowhere source_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::puts("usage: forebay_planted_bug scenario.yaml"), 2;
  const sim::ScenarioReading reading = sim::read_scenario_file(words[1]);
  if (!reading.problems.empty()) return std::puts(reading.problems.front().c_str()), 2;
  PlantedBug bug;
  const sim::RunResult result = sim::run(reading.scenario, bug);
  cli::RunFigures figures;
  figures.replay = std::string("forebay sim ") + words[1] + " --seed 42";
  std::fputs(cli::failures_text(result, figures, cli::TextStyle{80, false, true}).c_str(), stdout);
  return result.holds() ? 0 : 1;
}
