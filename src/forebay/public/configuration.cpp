#include "forebay/configuration.hpp"

#include <utility>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/config/read_configuration.hpp"
#include "forebay/coordination/start_delay.hpp"
#include "forebay/env/run_blocking.hpp"

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

Result<std::unique_ptr<ConfiguredPool>> ConfiguredPool::open(Runtime& runtime,
                                                             const Configuration& given) {
  const Configuration configuration = given.completed();
  if (const OptionProblems wrong = problems(configuration); !wrong.empty())
    return failure(invalid_options(wrong));
  apply_to_log(configuration);
  const Result<postgres::ConnectionString> target = configuration.database.connection();
  if (!target) return failure(target.error());
  std::unique_ptr<ConfiguredPool> made(new ConfiguredPool());
  if (configuration.cluster) {
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(runtime, *configuration.cluster);
    if (!cluster) return failure(std::move(cluster.error()));
    made->cluster_ = std::move(*cluster);
  }
  run_blocking(runtime.scheduler(), delay_start(runtime.env(), configuration.start_delay));
  PoolSharing sharing = made->cluster_ ? made->cluster_->sharing() : PoolSharing();
  Result<std::unique_ptr<postgres::PostgresPool>> pool = postgres::PostgresPool::open(
      runtime, target->text_with_secrets(), configuration.pool, sharing);
  if (!pool) return failure(std::move(pool.error()));
  made->pool_ = std::move(*pool);
  return made;
}

ConfiguredPool::~ConfiguredPool() {
  pool_.reset();
  cluster_.reset();
  log::write_all_repeats();
}

}  // namespace forebay
