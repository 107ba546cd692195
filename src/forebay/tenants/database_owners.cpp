#include "forebay/tenants/database_owners.hpp"

#include <fmt/format.h>

#include "forebay/tenants/tenant_name.hpp"

namespace forebay {

Error conflict_error(const DatabaseConflict& conflict, std::string_view tenant,
                     std::string_view database) {
  const bool is_taken = conflict.kind == DatabaseConflict::Kind::taken;
  return Error(
      Errc::invalid,
      is_taken
          ? fmt::format("the application's function database_of gives tenant {} the database {}, "
                        "which is tenant {}'s: each needs one of its own",
                        shown_name(tenant), shown_name(database), shown_name(conflict.other))
          : fmt::format("the application's function database_of moves tenant {} to the database "
                        "{}, but it still has connections to {}: move it when close_tenant() has "
                        "said true",
                        shown_name(tenant), shown_name(database), shown_name(conflict.other)));
}

DatabaseOwners::Entry DatabaseOwners::entry_for(const std::string& database) {
  Owners one;
  one.emplace(database, nullptr);
  return one.extract(one.begin());
}

std::optional<DatabaseConflict> DatabaseOwners::claim(Tenant& tenant, Entry& entry) {
  if (tenant.database != nullptr && *tenant.database == entry.key()) return std::nullopt;
  const auto found = owners_.find(entry.key());
  if (found != owners_.end())
    return DatabaseConflict{DatabaseConflict::Kind::taken, *found->second->id};
  if (tenant.database != nullptr && (tenant.old_pools > 0 || tenant.pools_in_making > 0))
    return DatabaseConflict{DatabaseConflict::Kind::moved, *tenant.database};
  Entry before = release(tenant);
  entry.mapped() = &tenant;
  tenant.database = &owners_.insert(std::move(entry)).position->first;
  entry = std::move(before);
  return std::nullopt;
}

DatabaseOwners::Entry DatabaseOwners::release(Tenant& tenant) {
  if (tenant.database == nullptr) return Entry();
  Entry entry = owners_.extract(owners_.find(*tenant.database));
  tenant.database = nullptr;
  return entry;
}

}  // namespace forebay
