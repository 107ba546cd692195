#include "forebay/proxy/route.hpp"

#include <utility>

#include "forebay/proxy/link/server_link.hpp"

namespace forebay::proxy {

// Its sessions tell the route what their server reports, each before anybody uses it.
class Route::GreetedConnector final : public Connector {
 public:
  GreetedConnector(Route& route, std::unique_ptr<Connector> links)
      : route_(route), links_(std::move(links)) {}

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override {
    Result<std::unique_ptr<Connection>> opened =
        co_await links_->connect(std::move(password), deadline);
    if (opened) route_.learn_greeting(static_cast<ServerLink&>(**opened).picture().reported);
    co_return opened;
  }
  void close() override { links_->close(); }
  void give_up() override { links_->give_up(); }
  ServerKind server() const override { return links_->server(); }

 private:
  Route& route_;
  const std::unique_ptr<Connector> links_;
};

Route::Route(Env env, std::unique_ptr<Connector> connector, RouteOptions options,
             PoolSharing sharing)
    : options_(std::move(options)),
      observation_{options_.pool.observer, options_.pool.name},
      connector_(std::make_unique<GreetedConnector>(*this, std::move(connector))),
      pool_(env, *connector_, options_.pool, std::move(sharing)),
      texts_(options_.pool.session.trusted_functions),
      shared_(options_.rules, texts_, starts_, counters_) {}

// A server that says other things than before may make other things of what clients ask for, too.
void Route::learn_greeting(const Parameters& reported) {
  if (greeting_ == reported) return;
  greeting_ = reported;
  starts_.forget();
}

}  // namespace forebay::proxy
