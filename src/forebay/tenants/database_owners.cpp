#include "forebay/tenants/database_owners.hpp"

#include <fmt/format.h>

#include "forebay/tenants/tenant_name.hpp"

namespace forebay {

Result<void> DatabaseOwners::claim(Tenant& tenant, const std::string& database) {
  if (tenant.database != nullptr && *tenant.database == database) return {};
  const auto found = owners_.find(database);
  if (found != owners_.end()) {
    return failure(
        Errc::invalid,
        fmt::format("the application's function database_of gives tenant {} the "
                    "database {}, which is tenant {}'s: each needs one of its own",
                    shown_name(*tenant.id), shown_name(database), shown_name(*found->second->id)));
  }
  if (tenant.database != nullptr && (tenant.old_pools > 0 || tenant.pools_in_making > 0)) {
    return failure(
        Errc::invalid,
        fmt::format("the application's function database_of moves tenant {} to the "
                    "database {}, but it still has connections to {}: move it when "
                    "close_tenant() has said true",
                    shown_name(*tenant.id), shown_name(database), shown_name(*tenant.database)));
  }
  release(tenant);
  tenant.database = &owners_.emplace(database, &tenant).first->first;
  return {};
}

void DatabaseOwners::release(Tenant& tenant) {
  if (tenant.database == nullptr) return;
  owners_.erase(owners_.find(*tenant.database));
  tenant.database = nullptr;
}

}  // namespace forebay
