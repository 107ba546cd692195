#include "forebay/configuration.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/config/read_configuration.hpp"
#include "forebay/coordination/start_delay.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/public/open_configured.hpp"

namespace forebay {

Result<Configuration> read_configuration_blocking(Runtime& runtime, std::string path) {
  ConfigurationReading reading =
      run_blocking(runtime.scheduler(), read_configuration(runtime.machine(), std::move(path)));
  apply_to_log(reading.configuration);
  for (const std::string& warning : reading.configuration.warnings)
    log::warning("Configuration is doubtful", {log::field("reason", warning)});
  if (!reading.problems.empty())
    return failure(Errc::invalid, fmt::format("{}", fmt::join(reading.problems, "\n")));
  return std::move(reading.configuration);
}

Result<ConfiguredTarget> begin_configured(Runtime& runtime, const Configuration& configuration,
                                          const OptionProblems& wrong,
                                          std::unique_ptr<Cluster>& cluster) {
  if (!wrong.empty()) return failure(invalid_options(wrong));
  apply_to_log(configuration);
  const Result<postgres::ConnectionString> parsed = configuration.database.connection();
  if (!parsed) return failure(parsed.error());
  ConfiguredTarget target(parsed->text_with_secrets());
  if (configuration.cluster) {
    Result<std::unique_ptr<Cluster>> opened = Cluster::open(runtime, *configuration.cluster);
    if (!opened) return failure(std::move(opened.error()));
    cluster = std::move(*opened);
    target.sharing = cluster->sharing();
  }
  run_blocking(runtime.scheduler(), delay_start(runtime.env(), configuration.start_delay));
  return target;
}

Result<std::unique_ptr<ConfiguredPool>> ConfiguredPool::open(Runtime& runtime,
                                                             const Configuration& given) {
  const Configuration configuration = given.completed();
  std::unique_ptr<ConfiguredPool> made(new ConfiguredPool());
  const Result<ConfiguredTarget> target =
      begin_configured(runtime, configuration, problems(configuration), made->cluster_);
  if (!target) return failure(target.error());
  Result<std::unique_ptr<postgres::PostgresPool>> pool =
      postgres::PostgresPool::open(runtime, target->text, configuration.pool, target->sharing);
  if (!pool) return failure(std::move(pool.error()));
  made->pool_ = std::move(*pool);
  return made;
}

ConfiguredPool::~ConfiguredPool() { end_configured(pool_, cluster_); }

}  // namespace forebay
