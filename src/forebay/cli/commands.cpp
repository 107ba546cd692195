#include "forebay/cli/command.hpp"

namespace forebay::cli {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make :
       {make_demo_command, make_sim_command, make_leases_command, make_token_command,
        make_config_command, make_metrics_command, make_doctor_command})
    commands.push_back(make());
  return commands;
}

}  // namespace forebay::cli
