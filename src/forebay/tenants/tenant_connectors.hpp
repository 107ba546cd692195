// TenantConnectors: how tenants' databases are reached, and made. The driver's part of tenants.
#pragma once

#include <memory>
#include <string>

#include "forebay/pool/connection.hpp"

namespace forebay {

class TenantConnectors {
 public:
  virtual ~TenantConnectors() = default;

  // A connector for that database. Called on whatever thread wants a tenant that has no pool, on
  // several at once: it makes an object and does nothing else.
  virtual Result<std::unique_ptr<Connector>> connector(const std::string& database) = 0;

  // Makes the database unless it is there. True: it was made. For tasks of the scheduler, and
  // only where missing databases are to be made.
  virtual Task<Result<bool>> make_database(std::string database, Instant deadline) = 0;
};

}  // namespace forebay
