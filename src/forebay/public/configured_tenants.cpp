#include "forebay/configured_tenants.hpp"

#include <utility>

#include "forebay/base/log.hpp"
#include "forebay/coordination/start_delay.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay {

Result<std::unique_ptr<ConfiguredTenants>> ConfiguredTenants::open(Runtime& runtime,
                                                                   const Configuration& given) {
  const Configuration configuration = given.completed();
  if (const OptionProblems wrong = tenant_problems(configuration); !wrong.empty())
    return failure(invalid_options(wrong));
  apply_to_log(configuration);
  const Result<postgres::ConnectionString> target = configuration.database.connection();
  if (!target) return failure(target.error());
  std::unique_ptr<ConfiguredTenants> made(new ConfiguredTenants());
  if (configuration.cluster) {
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(runtime, *configuration.cluster);
    if (!cluster) return failure(std::move(cluster.error()));
    made->cluster_ = std::move(*cluster);
  }
  run_blocking(runtime.scheduler(), delay_start(runtime.env(), configuration.start_delay));
  PoolSharing sharing = made->cluster_ ? made->cluster_->sharing() : PoolSharing();
  Result<std::unique_ptr<postgres::PostgresTenants>> tenants = postgres::PostgresTenants::open(
      runtime, target->text_with_secrets(), configuration.tenants, sharing);
  if (!tenants) return failure(std::move(tenants.error()));
  made->tenants_ = std::move(*tenants);
  return made;
}

ConfiguredTenants::~ConfiguredTenants() {
  tenants_.reset();
  cluster_.reset();
  log::write_all_repeats();
}

}  // namespace forebay
