// DatabaseOwners: whose database is whose, where the application makes the names. Two tenants that
// are known never have the same one, whatever the application says.
//
// Guarded by the lock of its keeper. Nothing is made, formatted or destroyed under it: entries are
// made before and destroyed after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "forebay/base/error.hpp"
#include "forebay/tenants/tenant_pool.hpp"

namespace forebay {

// Why a tenant cannot have a database.
struct DatabaseConflict {
  enum class Kind : std::uint8_t {
    taken,  // it is another tenant's
    moved,  // this one has connections to the one that it had
  };
  Kind kind;
  std::string other;  // that tenant, or that database
};

// Errc::invalid.
Error conflict_error(const DatabaseConflict& conflict, std::string_view tenant,
                     std::string_view database);

class DatabaseOwners {
  using Owners = std::unordered_map<std::string, const Tenant*>;

 public:
  using Entry = Owners::node_type;

  static Entry entry_for(const std::string& database);
  // From now on the entry's database is the tenant's, and the one that it had is not. What is not
  // needed, or no longer, is left in the entry.
  std::optional<DatabaseConflict> claim(Tenant& tenant, Entry& entry);
  // The tenant is about to be forgotten. Empty: it had none.
  Entry release(Tenant& tenant);

 private:
  Owners owners_;
};

}  // namespace forebay
