#include "forebay/configured_tenants.hpp"

#include <utility>

#include "forebay/public/open_configured.hpp"

namespace forebay {

Result<std::unique_ptr<ConfiguredTenants>> ConfiguredTenants::open(Runtime& runtime,
                                                                   const Configuration& given) {
  const Configuration configuration = given.completed();
  std::unique_ptr<ConfiguredTenants> made(new ConfiguredTenants());
  const Result<ConfiguredTarget> target =
      begin_configured(runtime, configuration, tenant_problems(configuration), made->cluster_);
  if (!target) return failure(target.error());
  Result<std::unique_ptr<postgres::PostgresTenants>> tenants = postgres::PostgresTenants::open(
      runtime, target->text, configuration.tenants, target->sharing);
  if (!tenants) return failure(std::move(tenants.error()));
  made->tenants_ = std::move(*tenants);
  return made;
}

ConfiguredTenants::~ConfiguredTenants() { end_configured(tenants_, cluster_); }

}  // namespace forebay
