#include "forebay/proxy/route.hpp"

#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

Route::Route(Env env, std::unique_ptr<Connector> connector, RouteOptions options,
             PoolSharing sharing)
    : options_(std::move(options)),
      connector_(std::move(connector)),
      pool_(env, *connector_, options_.pool, std::move(sharing)),
      texts_(options_.pool.session.trusted_functions),
      shared_(options_.rules, texts_, starts_, counters_) {}

// No client has used a session before the first greeting, so it is as the server began it.
Task<Result<const Parameters*>> Route::greeting(Until until) {
  if (!greeting_) {
    Result<PooledConnection> pooled = co_await pool_.acquire(until);
    if (!pooled) co_return failure(std::move(pooled).error());
    if (!greeting_) greeting_ = static_cast<ServerLink&>(pooled->connection()).picture().reported;
  }
  co_return &*greeting_;
}

}  // namespace forebay::proxy
