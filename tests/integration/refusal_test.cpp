// What waiting does not mend, provoked on a real server: a start ends at once, and callers do not
// wait in vain.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "forebay/embedded/server_files.hpp"
#include "integration/pool_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/certificates.hpp"
#include "support/loopback.hpp"
#include "support/name_server.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

// Far below initial_fill_limit, and long enough for a busy machine.
constexpr Duration kAtOnce = 5s;

struct Broken {
  const char* name;
  std::string target;
  const char* sqlstate;
  const char* words;
};

class RefusalTest : public PoolFixture {
 protected:
  RefusalTest() {
    PostgresServerOptions options;
    options.authentication = "scram-sha-256";
    launch(options);
    const auto made = ask("ALTER ROLE app PASSWORD 'hunter2'");
    EXPECT_TRUE(made.has_value()) << made.error().text();
  }
  std::string target(const std::string& rest) const {
    return fmt::format("host=127.0.0.1 port={} user=app password=hunter2 dbname=postgres {}",
                       server->port(), rest);
  }
  static PoolOptions keeping(int keep_open) {
    PoolOptions options;
    options.name = "orders";
    options.size.keep_open = keep_open;
    return options;
  }
  Duration since(Instant begun) { return runtime.scheduler().now() - begun; }
  // Sessions that the server has refused, by its log.
  int refused_logins() const {
    const std::string log = server->log_text();
    int count = 0;
    const std::string words = "password authentication failed";
    for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1))
      ++count;
    return count;
  }

  // Into the server's own folder, by the server, so that the file is its own.
  void write_to_server(const std::string& name, const std::string& path) {
    const std::string lines = embedded::read_file(path);
    const auto written = ask(
        fmt::format("COPY (SELECT unnest(string_to_array('{}', E'\\n'))) TO PROGRAM 'umask 077; "
                    "cat > {}'",
                    lines, name));
    ASSERT_TRUE(written.has_value()) << written.error().text();
  }

  const CapturedLog log_;
};

TEST_F(RefusalTest, AStartEndsAtOnceWithTheServersWords) {
  ASSERT_TRUE(ask("CREATE DATABASE closed").has_value());
  ASSERT_TRUE(ask("REVOKE CONNECT ON DATABASE closed FROM public").has_value());
  const NameServer names{NameServer::Table()};
  RuntimeOptions asking;
  asking.name_servers = names.place();
  Runtime own(asking);
  const Broken table[] = {
      {"password", target("password=wrong"), "28P01", "password authentication failed"},
      {"role", target("user=nobody"), "28P01", "password authentication failed"},
      {"database", target("dbname=nowhere"), "3D000", "database \"nowhere\" does not exist"},
      {"right", target("dbname=closed"), "42501", "permission denied for database \"closed\""},
      {"setting", target("options='-c serch_path=x'"), "42704", "serch_path"},
      {"no password",
       fmt::format("host=127.0.0.1 port={} user=app dbname=postgres passfile=/none",
                   server->port()),
       "", "no password supplied"},
      {"no TLS", target("sslmode=require"), "", "server does not support SSL"},
      {"host", "host=nobody.example user=app dbname=postgres", "", "there is no such name"},
  };
  for (const Broken& broken : table) {
    SCOPED_TRACE(broken.name);
    for (const int keep_open : {0, 3}) {
      const Instant begun = runtime.scheduler().now();
      const auto pool = PostgresPool::open(own, broken.target, keeping(keep_open));
      ASSERT_FALSE(pool.has_value());
      EXPECT_EQ(pool.error().code(), Errc::refused);
      EXPECT_EQ(pool.error().sqlstate(), broken.sqlstate);
      EXPECT_THAT(pool.error().text(), HasSubstr(broken.words));
      EXPECT_THAT(pool.error().text(), HasSubstr("the pool \"orders\" cannot be opened"));
      EXPECT_THAT(pool.error().text(), testing::Not(HasSubstr("hunter2")));
      EXPECT_LT(since(begun), kAtOnce);
    }
  }
}

TEST_F(RefusalTest, ACertificateThatNobodyTrustsEndsAStart) {
  CertificateAuthority theirs("theirs");
  const CertificateAuthority ours("ours");
  CertificateWish wish;
  wish.alternatives = "DNS:db.example";
  const CertificateFiles files = theirs.issue(wish);
  write_to_server("server.crt", files.certificate);
  write_to_server("server.key", files.key);
  ASSERT_TRUE(ask("ALTER SYSTEM SET ssl = on").has_value());
  ASSERT_TRUE(ask("SELECT pg_reload_conf()").has_value());
  const Instant reloaded = runtime.scheduler().now();
  while (!PostgresPool::open(runtime, target("sslmode=require"), keeping(1)) &&
         since(reloaded) < 30s)
    embedded::pause(50ms);

  const Broken table[] = {
      {"authority", target("sslmode=verify-ca sslrootcert=" + ours.ca_file()), "",
       "certificate verify failed"},
      {"name", target("sslmode=verify-full sslrootcert=" + theirs.ca_file()), "",
       "does not match host name"},
  };
  for (const Broken& broken : table) {
    SCOPED_TRACE(broken.name);
    const Instant begun = runtime.scheduler().now();
    const auto pool = PostgresPool::open(runtime, broken.target, keeping(1));
    ASSERT_FALSE(pool.has_value());
    EXPECT_EQ(pool.error().code(), Errc::refused);
    EXPECT_THAT(pool.error().text(), HasSubstr(broken.words));
    EXPECT_LT(since(begun), kAtOnce);
  }
}

TEST_F(RefusalTest, AWholeReservoirTriesAWrongPasswordOnce) {
  PoolOptions options;
  options.supply = Supply::reservoir;
  options.size.max = 20;

  const auto pool = PostgresPool::open(runtime, target("password=wrong"), options);

  ASSERT_FALSE(pool.has_value());
  EXPECT_EQ(refused_logins(), 1);
}

TEST_F(RefusalTest, WhoKeepsTryingIsToldByItsCallersAndRecovers) {
  PoolOptions options = keeping(0);
  options.initial_failure = InitialFailure::keep_trying;
  auto pool = PostgresPool::open(runtime, target("dbname=later"), options);
  ASSERT_TRUE(pool.has_value()) << pool.error().text();
  const Instant begun = runtime.scheduler().now();
  const auto first = (*pool)->acquire_blocking(30s);
  const auto second = (*pool)->acquire_blocking(30s);
  EXPECT_LT(since(begun), kAtOnce);
  for (const auto* refused : {&first, &second}) {
    ASSERT_FALSE(refused->has_value());
    EXPECT_EQ(refused->error().code(), Errc::refused);
    EXPECT_EQ(refused->error().sqlstate(), "3D000");
    EXPECT_THAT(refused->error().text(), HasSubstr("database \"later\" does not exist"));
    EXPECT_THAT(refused->error().text(), HasSubstr("the next attempt comes in"));
  }
  EXPECT_EQ((*pool)->statistics().counters.failed(OpenFailure::connection_open), 1u);

  ASSERT_TRUE(ask("CREATE DATABASE later").has_value());
  while ((*pool)->statistics().open() == 0 && since(begun) < 40s) embedded::pause(50ms);

  EXPECT_TRUE((*pool)->acquire_blocking(0s).has_value());
}

TEST_F(RefusalTest, NothingThatListensIsNoRefusalAndNoFill) {
  std::string nobody;
  {
    const LoopbackListener free;
    nobody = fmt::format("host=127.0.0.1 port={} user=app", free.port());
  }
  PoolOptions options = keeping(3);
  options.warm_up_retries = 1;

  const auto pool = PostgresPool::open(runtime, nobody, options);

  ASSERT_TRUE(pool.has_value()) << pool.error().text();
  EXPECT_FALSE((*pool)->is_filled());
  EXPECT_FALSE((*pool)->statistics().is_filled);
  EXPECT_EQ(log_.count("Pool initial fill complete"), 0u);
  EXPECT_THAT(log_.lines("Pool warmup gave up"),
              testing::ElementsAre(HasSubstr("size=0 target=3")));
}

}  // namespace
}  // namespace forebay::test
