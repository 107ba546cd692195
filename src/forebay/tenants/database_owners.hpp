// DatabaseOwners: whose database is whose, where the application makes the names. Two tenants that
// are known never have the same one, whatever the application says.
//
// Guarded by the lock of its keeper.
#pragma once

#include <string>
#include <unordered_map>

#include "forebay/base/error.hpp"
#include "forebay/tenants/tenant_pool.hpp"

namespace forebay {

class DatabaseOwners {
 public:
  // From now on the database is the tenant's, and the one that it had is not. Errc::invalid: it is
  // another tenant's, or this one has connections to the one that it had.
  Result<void> claim(Tenant& tenant, const std::string& database);
  // The tenant is about to be forgotten.
  void release(Tenant& tenant);

 private:
  std::unordered_map<std::string, const Tenant*> owners_;
};

}  // namespace forebay
