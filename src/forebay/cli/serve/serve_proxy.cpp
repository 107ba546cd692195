#include "forebay/cli/serve/serve_proxy.hpp"

#include <fmt/format.h>

#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/driver/server_limits.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/public/open_configured.hpp"

namespace forebay::cli {
namespace {

// For transactions to end, once nobody is let in any more.
constexpr Duration kLastTransactions = std::chrono::seconds(10);

std::string place_of(const postgres::ConnectionString& target) {
  return fmt::format("{}{}{}/{}", target.host().empty() ? "libpq's default host" : target.host(),
                     target.port().empty() ? "" : ":", target.port(), target.database_in_force());
}

// What libpq would be told for such a pool holds for links, too.
proxy::LinkSettings link_settings(const postgres::ServerProfile& profile, const PoolOptions& pool) {
  const postgres::LibpqSettings told = postgres::libpq_settings(profile, pool);
  proxy::LinkSettings settings;
  settings.server_notices_after = told.server_notices_after;
  settings.longest_work = told.longest_work;
  settings.give_up_after = told.give_up_after;
  settings.session_settings = told.session_settings;
  return settings;
}

}  // namespace

Result<std::unique_ptr<ServeProxy>> ServeProxy::open(Runtime& runtime, const Configuration& given,
                                                     const ServeOptions& options) {
  std::unique_ptr<ServeProxy> made(new ServeProxy(runtime, options));
  Result<void> started = made->start(given.completed(), options);
  if (!started) {
    made->close();
    return failure(std::move(started).error());
  }
  return made;
}

ServeProxy::ServeProxy(Runtime& runtime, const ServeOptions& options)
    : runtime_(runtime),
      proxy_(runtime.env(), runtime.streams(), runtime.secure_random(), options.limits.log_in) {}

ServeProxy::~ServeProxy() { close(); }

Result<void> ServeProxy::start(const Configuration& configuration, const ServeOptions& options) {
  const Result<ConfiguredTarget> begun =
      begin_configured(runtime_, configuration, problems(configuration), cluster_);
  if (!begun) return failure(begun.error());
  const Result<postgres::ConnectionString> parsed = postgres::ConnectionString::parse(begun->text);
  if (!parsed) return failure(parsed.error());
  Result<proxy::LinkTarget> target = proxy::link_target(*parsed);
  if (!target) return failure(std::move(target).error());
  if (target->tls != proxy::LinkTls::disable) {
    Result<std::unique_ptr<TlsClient>> made = real::make_tls_client(target->tls_options);
    if (!made) return failure(std::move(made).error());
    tls_ = std::move(*made);
  }
  place_ = place_of(*parsed);
  user_ = target->user;
  database_ = target->database;

  const auto profile = postgres::ServerProfile::for_host(parsed->host());
  proxy::RouteOptions route;
  route.pool = postgres::with_defaults_of(profile, configuration.pool);
  route.database = database_;
  route.rules = options.rules;
  route.limits = options.limits;
  const proxy::LinkEnv env(runtime_.scheduler(), runtime_.streams(), runtime_.secure_random(),
                           tls_.get());
  auto connector = std::make_unique<proxy::LinkConnector>(env, std::move(*target), profile,
                                                          link_settings(profile, route.pool));
  proxy_.routes().add(std::make_unique<proxy::Route>(runtime_.env(), std::move(connector),
                                                     std::move(route), begun->sharing));
  const Result<bool> filled = run_blocking(runtime_.scheduler(), pool().start_or_fail());
  if (!filled) return failure(filled.error());
  return run_blocking(runtime_.scheduler(), listen(options.listen));
}

Task<Result<void>> ServeProxy::listen(const std::vector<StreamAddress>& places) {
  for (const StreamAddress& place : places) {
    const Result<StreamAddress> at = proxy_.listen(place);
    if (!at) co_return failure(at.error());
    listening_.push_back(*at);
  }
  co_return Result<void>();
}

ServeSample ServeProxy::look(Instant begun) {
  return run_blocking(runtime_.scheduler(), look_here(begun));
}

Task<ServeSample> ServeProxy::look_here(Instant begun) {
  ServeSample sample;
  sample.at = runtime_.scheduler().now() - begun;
  sample.pool = pool().statistics();
  sample.proxy = proxy_.counters();
  co_return sample;
}

void ServeProxy::close() {
  if (is_closed_) return;
  is_closed_ = true;
  run_blocking(runtime_.scheduler(),
               proxy_.close(deadline_after(runtime_.scheduler().now(), kLastTransactions)));
  cluster_.reset();
}

std::string ServeProxy::listen_text() const {
  std::string text;
  for (const StreamAddress& place : listening_) {
    if (!text.empty()) text += " and ";
    text += place.text();
  }
  return text;
}

std::uint16_t ServeProxy::port() const {
  for (const StreamAddress& place : listening_)
    if (!place.is_unix_socket()) return place.port();
  return 0;
}

// A Unix socket is found by libpq if its name is as PostgreSQL's.
std::string ServeProxy::client_url() const {
  for (const StreamAddress& place : listening_) {
    if (place.is_unix_socket()) continue;
    const bool is_ipv6 = place.host().find(':') != std::string::npos;
    return fmt::format("postgresql://{}@{}{}{}:{}/{}?sslmode=disable", user_, is_ipv6 ? "[" : "",
                       place.host(), is_ipv6 ? "]" : "", place.port(), database_);
  }
  const std::string& path = listening_.front().path();
  const std::size_t name = path.rfind("/.s.PGSQL.");
  if (name == std::string::npos) return path;
  return fmt::format("host={} port={} user={} dbname={}", path.substr(0, name),
                     path.substr(name + 10), user_, database_);
}

}  // namespace forebay::cli
