#include "forebay/cli/standin/standin_service.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "forebay/env/real/made_certificates.hpp"
#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/standin/database_setup.hpp"

namespace forebay::cli {
namespace {

// Each client that has said anything has a session there; those who only connect have none.
constexpr int kServerConnections = 1'000;
constexpr Duration kPreparationLimit = std::chrono::seconds(30);

PoolOptions one_superuser() {
  PoolOptions options;
  options.name = "standin superuser";
  options.size.max = 1;
  return options;
}

Result<void> prepare(Runtime& runtime, const std::string& superuser_url) {
  auto pool = postgres::PostgresPool::open(runtime, superuser_url, one_superuser());
  if (!pool) return failure(pool.error());
  Result<postgres::PooledSession> session = (*pool)->acquire_blocking(kPreparationLimit);
  if (!session) return failure(session.error());
  const Result<postgres::QueryResult> done =
      (*session)->exec_blocking(standin::database_setup(), kPreparationLimit);
  if (done) return {};
  return failure(done.error().with_text(fmt::format(
      "the database cannot be prepared (its user must be a superuser): {}", done.error().text())));
}

// They are asked for each time, since any session may change them.
class GrantedRoles final : public standin::RoleMappings {
 public:
  explicit GrantedRoles(std::unique_ptr<postgres::PostgresPool> pool) : pool_(std::move(pool)) {}

  Task<Result<bool>> has(std::string role, std::string arn) override {
    co_return co_await pool_->query_one<bool>(
        "SELECT EXISTS (SELECT FROM sys.iam_pg_role_mappings WHERE pg_role_name = $1 AND arn = $2)",
        role, arn);
  }

 private:
  const std::unique_ptr<postgres::PostgresPool> pool_;
};

}  // namespace

Result<std::unique_ptr<StandinService>> StandinService::open(Runtime& runtime,
                                                             const StandinSettings& settings) {
  std::unique_ptr<StandinService> made(new StandinService(runtime, settings));
  Result<void> started = made->start();
  if (!started) return failure(std::move(started).error());
  return made;
}

StandinService::StandinService(Runtime& runtime, const StandinSettings& settings)
    : runtime_(runtime), settings_(settings) {}

StandinService::~StandinService() { close(); }

Result<void> StandinService::start() {
  if (Result<void> made = make_tls(); !made) return made;
  const Result<std::string> superuser_url = find_postgres();
  if (!superuser_url) return failure(superuser_url.error());
  if (Result<void> prepared = prepare(runtime_, *superuser_url); !prepared) return prepared;
  const std::string url =
      server_ ? server_->url("admin", "postgres") + "?sslmode=disable" : *superuser_url;
  if (Result<void> reached = reach(url); !reached) return reached;
  if (Result<void> mapped = map_roles(*superuser_url); !mapped) return mapped;
  standin_ = std::make_unique<standin::Standin>(runtime_.env(), runtime_.streams(), *tls_,
                                                *backend_, settings_.options);
  if (Result<void> listening = run_blocking(runtime_.scheduler(), listen()); !listening)
    return listening;
  return serve_dynamodb();
}

Result<void> StandinService::make_tls() {
  std::filesystem::path folder = settings_.certificates;
  if (folder.empty()) {
    auto made = embedded::TemporaryFolder::make(std::nullopt, "forebay-standin");
    if (!made) return failure(made.error());
    folder_ = std::move(*made);
    folder = folder_->path();
  }
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const Result<real::CertificateFiles> files =
      real::make_certificates(folder, settings_.options.names);
  if (!files) return failure(files.error());
  certificate_ = std::filesystem::absolute(files->authority).string();
  TlsServerOptions options;
  options.certificate_file = files->certificate;
  options.key_file = files->key;
  options.protocol = "postgresql";
  Result<std::unique_ptr<TlsServer>> made = real::make_tls_server(options);
  if (!made) return failure(std::move(made).error());
  tls_ = std::move(*made);
  return {};
}

// As the superuser.
Result<std::string> StandinService::find_postgres() {
  if (!settings_.postgres.empty()) return settings_.postgres;
  embedded::PostgresServerOptions options;
  options.max_connections = kServerConnections + options.superuser_reserved_connections;
  if (!settings_.data.empty()) options.data = std::filesystem::absolute(settings_.data);
  auto launched = embedded::PostgresServer::launch(options);
  if (!launched) {
    return failure(launched.error().code(),
                   launched.error().text() + "\n(--postgres URL takes a server of your own)");
  }
  server_ = std::move(*launched);
  return server_->superuser_url();
}

Result<void> StandinService::reach(const std::string& url) {
  const Result<postgres::ConnectionString> parsed = postgres::ConnectionString::parse(url);
  if (!parsed) return failure(parsed.error());
  Result<proxy::LinkTarget> target = proxy::link_target(*parsed);
  if (!target) return failure(std::move(target).error());
  if (target->tls != proxy::LinkTls::disable) {
    Result<std::unique_ptr<TlsClient>> made = real::make_tls_client(target->tls_options);
    if (!made) return failure(std::move(made).error());
    client_tls_ = std::move(*made);
  }
  const proxy::LinkEnv env(runtime_.scheduler(), runtime_.streams(), runtime_.secure_random(),
                           client_tls_.get());
  backend_ = std::make_unique<standin::Backend>(env, std::move(*target),
                                                standin::session_settings(settings_.options.rules));
  return {};
}

Result<void> StandinService::map_roles(const std::string& superuser_url) {
  if (settings_.options.realm.arns.empty()) return {};
  auto pool = postgres::PostgresPool::open(runtime_, superuser_url, one_superuser());
  if (!pool) return failure(pool.error());
  mappings_ = std::make_unique<GrantedRoles>(std::move(*pool));
  settings_.options.mappings = mappings_.get();
  return {};
}

Task<Result<void>> StandinService::listen() {
  const StreamAddress place = StreamAddress::tcp(settings_.listen.address, settings_.listen.port);
  const Result<StreamAddress> at = standin_->listen(place);
  if (!at) co_return failure(at.error());
  port_ = at->port();
  co_return Result<void>();
}

Result<void> StandinService::serve_dynamodb() {
  if (!settings_.dynamodb) return {};
  standin::DynamoDbServerOptions options;
  options.address = settings_.dynamodb->address;
  options.port = settings_.dynamodb->port;
  auto opened = standin::DynamoDbServer::open(runtime_, tables_, options);
  if (!opened)
    return failure(opened.error().with_text(fmt::format("--dynamodb: {}", opened.error().text())));
  dynamodb_ = std::move(*opened);
  return {};
}

std::string StandinService::dynamodb_url() const { return dynamodb_ ? dynamodb_->url() : ""; }

std::vector<std::pair<std::string, std::string>> StandinService::environment() const {
  std::vector<std::pair<std::string, std::string>> variables{
      {"PGHOST", "localhost"},
      {"PGPORT", std::to_string(port_)},
      {"PGUSER", "admin"},
      {"PGDATABASE", "postgres"},
      {"PGSSLMODE", "verify-full"},
      {"PGSSLROOTCERT", certificate_},
      {"NODE_EXTRA_CA_CERTS", certificate_},
      {"AWS_REGION", settings_.options.realm.region},
      {"AWS_DEFAULT_REGION", settings_.options.realm.region},
      {"AWS_ACCESS_KEY_ID", kStandinKeyId},
      {"AWS_SECRET_ACCESS_KEY", kStandinSecret}};
  if (dynamodb_) variables.emplace_back("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_->url());
  return variables;
}

std::string StandinService::place() const {
  if (server_ == nullptr) return "the PostgreSQL given";
  if (settings_.data.empty()) return "a throw-away PostgreSQL";
  return fmt::format("a PostgreSQL with its data in {}", settings_.data);
}

standin::StandinCounters StandinService::counters() {
  return run_blocking(runtime_.scheduler(), count());
}

Task<standin::StandinCounters> StandinService::count() { co_return standin_->counters(); }

void StandinService::close() {
  if (standin_ == nullptr) return;
  dynamodb_.reset();
  run_blocking(runtime_.scheduler(), standin_->close());
  standin_.reset();
  mappings_.reset();
}

}  // namespace forebay::cli
