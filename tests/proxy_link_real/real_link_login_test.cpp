// A real PostgreSQL lets our links in by every method and over TLS, and keeps out whom it should.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <pwd.h>
#include <sys/stat.h>

#include "forebay/env/real/openssl_tls.hpp"
#include "proxy_link_real/link_fixture.hpp"
#include "support/certificates.hpp"

namespace forebay::proxy {
namespace {

LinkServer server_with(const std::string& method) {
  PostgresServerOptions options;
  options.authentication = method;
  return LinkServer(std::move(options));
}

TEST(RealLinkLoginTest, EveryMethodLetsInTheRightPassword) {
  for (const std::string method : {"trust", "password", "md5", "scram-sha-256"}) {
    const LinkServer server = server_with(method);
    if (method == "md5")
      server.ask(
          "DO $$ BEGIN SET LOCAL password_encryption = 'md5'; "
          "ALTER ROLE app PASSWORD 'hunter2'; END $$");
    Runtime runtime;
    LinkClient client(runtime, target(server.url()));

    EXPECT_EQ(client.outcome(), "in") << method;
    EXPECT_EQ(client.outcome("hunter2"), "in") << method;
    if (method == "trust") continue;
    const auto refused = client.try_connect("swordfish");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::refused);
    EXPECT_EQ(refused.error().sqlstate(), "28P01");
    EXPECT_FALSE(refused.error().text().contains("swordfish"));
    LinkClient nobody(runtime, target(server.url("")));
    EXPECT_EQ(nobody.outcome(), "refused ") << method;
    EXPECT_EQ(server.sessions(), "0");
  }
}

TEST(RealLinkLoginTest, TheTargetIsWhatTheServerSees) {
  const LinkServer server;
  Runtime runtime;
  LinkSettings settings;
  settings.server_notices_after = 6s;
  settings.session_settings = {{"search_path", "a, \"b c\""}};
  LinkClient client(runtime,
                    target(server.url() + "?application_name=me&options=-c%20work_mem%3D9MB"),
                    nullptr, settings);
  const auto link = client.connect();

  EXPECT_EQ(client.ask(*link, "SHOW application_name"), "me");
  EXPECT_EQ(client.ask(*link, "SHOW work_mem"), "9MB");
  EXPECT_EQ(client.ask(*link, "SHOW search_path"), "a, \"b c\"");
  EXPECT_EQ(client.ask(*link, "SHOW client_connection_check_interval"), "500ms");
  EXPECT_EQ(client.ask(*link, "SELECT current_user || current_database()"), "apppostgres");
  EXPECT_EQ(link->picture().reported.at("application_name"), "me");
  EXPECT_TRUE(link->picture().reported.contains("server_version"));
  EXPECT_TRUE(client.close(*link));
  EXPECT_EQ(server.sessions(), "0");
}

TEST(RealLinkLoginTest, ARefusalSaysWhy) {
  PostgresServerOptions options;
  options.max_connections = 6;
  const LinkServer server(options);
  Runtime runtime;
  LinkClient client(runtime, target(server.url()));
  LinkClient elsewhere(runtime, target(server->url("app", "nowhere")));
  EXPECT_EQ(elsewhere.outcome(), "refused 3D000");
  LinkClient unset(runtime, target(server.url() + "?options=-c%20no_such_setting%3D1"));
  EXPECT_EQ(unset.outcome(), "refused 42704");

  std::vector<OwnedLink> links;
  for (int i = 0; i < 3; ++i) links.push_back(client.connect());
  EXPECT_EQ(client.outcome(), "limit_reached 53300");
  for (const auto& link : links) EXPECT_TRUE(client.close(*link));
  EXPECT_EQ(client.outcome(), "in");
}

TEST(RealLinkLoginTest, NobodyThereAndTheNextOne) {
  const LinkServer server;
  Runtime runtime;
  LinkClient nobody(runtime, target("postgresql://app@127.0.0.1:1/postgres"));
  EXPECT_EQ(nobody.outcome(), "connect_failed ");
  const std::string port = std::to_string(server->port());
  LinkClient client(
      runtime, target("host=127.0.0.1,localhost port=1," + port + " user=app dbname=postgres"));
  EXPECT_EQ(client.outcome(), "in");
}

TEST(RealLinkLoginTest, ByAUnixSocket) {
  const LinkServer server;
  Runtime runtime;
  LinkClient client(runtime, target(server->superuser_url() + " sslmode=require"));
  EXPECT_EQ(client.outcome(), "in");  // as with libpq, it has no TLS to require
}

TEST(RealLinkLoginTest, ALinkMovesToAnotherLoopAndThePoolsCallsFollowIt) {
  const LinkServer server;
  RuntimeOptions two;
  two.loops = 2;
  Runtime runtime(two);
  LinkClient client(runtime, target(server.url()));
  const auto link = client.connect();
  const Loop other = runtime.loop(1);

  const Result<void> moved = client.run(link->move_to(other.env.scheduler, other.streams));

  ASSERT_TRUE(moved) << moved.error().text();
  EXPECT_EQ(&link->scheduler(), &other.env.scheduler);
  EXPECT_EQ(run_blocking(other.env.scheduler, ask(*link, "BEGIN", client.in(kPatience))), "no row");
  EXPECT_TRUE(client.run(link->reset(client.in(kPatience))));  // called on the first loop
  EXPECT_EQ(run_blocking(other.env.scheduler, ask(*link, "SELECT 9", client.in(kPatience))), "9");
  EXPECT_TRUE(client.close(*link));
  EXPECT_EQ(server.sessions(), "0");
}

// The server's account has to own the key.
void give_to_server(const std::string& path) {
  const passwd* const account = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
  const bool is_theirs = !account || ::chown(path.c_str(), account->pw_uid, account->pw_gid) == 0;
  EXPECT_TRUE(is_theirs) << path;
}

class RealLinkTlsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    authority_ = std::make_unique<test::CertificateAuthority>("test");
    stranger_ = std::make_unique<test::CertificateAuthority>("stranger");
    test::CertificateWish wish;
    wish.alternatives = "DNS:localhost";
    const test::CertificateFiles files = authority_->issue(wish);
    give_to_server(authority_->folder());
    give_to_server(files.certificate);
    give_to_server(files.key);
    std::filesystem::permissions(files.key, std::filesystem::perms::owner_read);
    PostgresServerOptions options;
    options.authentication = "scram-sha-256";
    options.settings = {
        {"ssl", "on"}, {"ssl_cert_file", files.certificate}, {"ssl_key_file", files.key}};
    server_ = std::make_unique<LinkServer>(std::move(options));
  }
  static void TearDownTestSuite() {
    server_.reset();
    authority_.reset();
    stranger_.reset();
  }

  // Whether the session has TLS, or why there is none.
  static std::string login(const std::string& host, const std::string& tls) {
    const std::string text = "host=" + host + " port=" + std::to_string((*server_)->port()) +
                             " user=app dbname=postgres password=hunter2 " + tls;
    Result<LinkTarget> made = parse_target(text);
    if (!made) return std::string(name(made.error().code()));
    std::unique_ptr<TlsClient> secure;
    if (made->tls != LinkTls::disable) secure = *real::make_tls_client(made->tls_options);
    Runtime runtime;
    LinkClient client(runtime, std::move(*made), secure.get());
    auto link = client.try_connect();
    if (!link) return std::string(name(link.error().code()));
    std::string has_tls =
        client.ask(**link, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    EXPECT_TRUE(client.close(**link));
    return has_tls;
  }

  static inline std::unique_ptr<test::CertificateAuthority> authority_, stranger_;
  static inline std::unique_ptr<LinkServer> server_;
};

TEST_F(RealLinkTlsTest, TheModeSaysHowSafe) {
  const std::string right = " sslrootcert=" + authority_->ca_file();
  const std::string wrong = " sslrootcert=" + stranger_->ca_file();
  EXPECT_EQ(login("localhost", "sslmode=disable"), "f");
  EXPECT_EQ(login("localhost", "sslmode=allow"), "t");
  EXPECT_EQ(login("localhost", "sslmode=prefer"), "t");
  EXPECT_EQ(login("localhost", "sslmode=require"), "t");
  EXPECT_EQ(login("localhost", "sslmode=verify-ca" + right), "t");
  EXPECT_EQ(login("localhost", "sslmode=verify-full" + right), "t");
  EXPECT_EQ(login("127.0.0.1", "sslmode=verify-ca" + right), "t");
  EXPECT_EQ(login("127.0.0.1", "sslmode=verify-full" + right), "refused");
  EXPECT_EQ(login("localhost", "sslmode=verify-ca" + wrong), "refused");
  EXPECT_EQ(login("localhost", "sslmode=verify-full" + wrong), "refused");
  EXPECT_EQ(login("localhost", "sslmode=require" + wrong), "refused");  // as with libpq
  EXPECT_EQ(login("localhost", "sslmode=prefer" + wrong), "f");         // as with libpq
  EXPECT_EQ(login("localhost", "sslmode=verify-full"), "invalid");
  EXPECT_EQ((*server_).sessions(), "0");
}

TEST_F(RealLinkTlsTest, ASessionOverTlsIsCancelledAndClosed) {
  const auto secure = *real::make_tls_client([] {
    TlsClientOptions options;
    options.verify = TlsVerify::none;
    return options;
  }());
  Runtime runtime;
  LinkClient client(runtime, target(server_->url() + "?sslmode=require"), secure.get());
  const auto link = client.connect();
  std::string out;
  wire::write_query(out, "SELECT pg_sleep(60)");
  client.run(say(*link, out, "Q", client.in(kPatience)));
  ASSERT_TRUE(link->needs_cancel());

  const Result<void> cancelled = client.run(link->cancel(client.in(kPatience)));

  ASSERT_TRUE(cancelled) << cancelled.error().text();
  EXPECT_EQ(client.ask(*link, "SELECT 7"), "7");
  EXPECT_TRUE(client.run(link->is_still_there()));
  EXPECT_TRUE(client.close(*link));
  EXPECT_EQ(server_->sessions(), "0");
}

// What libpq would use, and nothing else.
TEST(RealLinkTargetTest, EnvironmentAndFilesCountAsWithLibpq) {
  const std::string file = std::filesystem::temp_directory_path() / "forebay_link_pgpass";
  std::ofstream(file) << "one.example:7000:inn:keeper:first secret\n"
                      << "*:*:*:*:other secret\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  ::setenv("PGUSER", "keeper", 1);
  ::setenv("PGDATABASE", "inn", 1);
  ::setenv("PGPORT", "7000", 1);
  ::setenv("PGSSLMODE", "require", 1);
  ::setenv("PGAPPNAME", "named", 1);
  ::setenv("PGOPTIONS", "-c a=b", 1);
  const LinkTarget made = target("host=one.example,two.example passfile=" + file);
  for (const char* variable :
       {"PGUSER", "PGDATABASE", "PGPORT", "PGSSLMODE", "PGAPPNAME", "PGOPTIONS"})
    ::unsetenv(variable);
  std::filesystem::remove(file);

  EXPECT_EQ(made.user, "keeper");
  EXPECT_EQ(made.database, "inn");
  EXPECT_EQ(made.options, "-c a=b");
  EXPECT_EQ(made.tls, LinkTls::require);
  ASSERT_EQ(made.parameters.size(), 1U);
  EXPECT_EQ(made.parameters[0].second, "named");
  ASSERT_EQ(made.places.size(), 2U);
  EXPECT_EQ(made.places[0].address.text(), "one.example:7000");
  EXPECT_EQ(made.places[0].password, "first secret");
  EXPECT_EQ(made.places[1].address.text(), "two.example:7000");
  EXPECT_EQ(made.places[1].password, "other secret");
}

TEST(RealLinkTargetTest, DefaultsAreThoseOfLibpq) {
  const LinkTarget made = target("user=keeper");
  EXPECT_EQ(made.database, "keeper");
  EXPECT_EQ(made.tls, LinkTls::prefer);
  EXPECT_EQ(made.tls_options.verify, TlsVerify::none);
  ASSERT_EQ(made.places.size(), 1U);
  EXPECT_TRUE(made.places[0].address.is_unix_socket());
  EXPECT_TRUE(made.places[0].address.path().ends_with("/.s.PGSQL.5432"));
  EXPECT_EQ(made.parameters.at(0).second, "forebay");
}

TEST(RealLinkTargetTest, WhatCannotBeKeptIsRefusedWithoutSecrets) {
  for (const std::string keyword :
       {"sslcrl=/x", "requirepeer=postgres", "gssencmode=require", "channel_binding=require",
        "ssl_min_protocol_version=TLSv1.3", "target_session_attrs=read-write", "sslmode=maybe",
        "sslmode=verify-full", "host=a,b port=1,2,3", "service=no_such_service",
        "hostaddr=10.0.0.1 sslmode=verify-full sslrootcert=/etc/hosts"}) {
    const auto made = parse_target("user=a password=swordfish " + keyword);
    ASSERT_FALSE(made) << keyword;
    EXPECT_EQ(made.error().code(), Errc::invalid) << keyword;
    EXPECT_FALSE(made.error().text().contains("swordfish")) << made.error().text();
  }
}

}  // namespace
}  // namespace forebay::proxy
