// libpq: pipelines in all their forms, and what else its functions do. Ends with 1 if a step fails.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "libpq_session.hpp"

using namespace proxy_clients;

namespace {

bool run_step(const Step& step) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  std::printf("  %s", step.name);
  std::fflush(stdout);
  try {
    step.run();
    std::printf(": %.2f s\n", seconds());
    return true;
  } catch (const std::exception& error) {
    std::printf(" failed after %.2f s:\n%s\n", seconds(), error.what());
    return false;
  }
}

bool run_steps(const std::vector<Step>& steps) {
  bool is_well = true;
  for (const Step& step : steps) is_well = run_step(step) && is_well;
  return is_well;
}

}  // namespace

int main() {
  const char* mode = std::getenv("PROXY_MODE");
  if (mode != nullptr && std::string_view(mode) == "refuse")
    return run_steps(refused_steps()) ? 0 : 1;
  const bool is_plain_well = run_steps(plain_steps());
  return run_steps(pipeline_steps()) && is_plain_well ? 0 : 1;
}
