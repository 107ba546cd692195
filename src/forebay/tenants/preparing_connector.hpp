// PreparingConnector: a connector that makes sure that its database is there before the
// first connect.
//
// Any number of connects that come at once ask for the database once. If the server says later that
// the database is gone, the next connect asks again. Confined to the scheduler.
#pragma once

#include "forebay/env/condition.hpp"
#include "forebay/tenants/tenant_connectors.hpp"

namespace forebay {

class PreparingConnector final : public Connector {
 public:
  // What is known of the database outlives the connector: one that is there stays there.
  PreparingConnector(Scheduler& scheduler, TenantConnectors& connectors, std::string database,
                     std::unique_ptr<Connector> inner, bool& is_there)
      : connectors_(connectors),
        database_(std::move(database)),
        inner_(std::move(inner)),
        is_there_(is_there),
        changed_(scheduler),
        closing_(scheduler) {}

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override;
  void close() override;
  void give_up() override { inner_->give_up(); }

 private:
  Task<Result<void>> prepare(Instant deadline);

  TenantConnectors& connectors_;
  const std::string database_;
  const std::unique_ptr<Connector> inner_;
  bool& is_there_;
  Condition changed_;
  Cancellation closing_;
  bool is_preparing_ = false;
};

}  // namespace forebay
