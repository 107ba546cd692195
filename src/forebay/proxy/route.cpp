#include "forebay/proxy/route.hpp"

namespace forebay::proxy {

Route::Route(Env env, std::unique_ptr<Connector> connector, RouteOptions options,
             PoolSharing sharing)
    : options_(std::move(options)),
      observation_{options_.pool.observer, options_.pool.name},
      connector_(std::move(connector)),
      pool_(env, *connector_, options_.pool, std::move(sharing)),
      texts_(options_.pool.session.trusted_functions),
      shared_(options_.rules, texts_, starts_, counters_) {}

}  // namespace forebay::proxy
