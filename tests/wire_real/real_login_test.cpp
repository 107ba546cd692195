// A real PostgreSQL lets us in by every method, and keeps out who has the wrong password.
#include <filesystem>

#include <pwd.h>

#include "forebay/wire/auth/scram_message.hpp"
#include "forebay/wire/auth/scram_server.hpp"
#include "forebay/wire/auth/stored_secret.hpp"
#include "wire_real/postgres_fixture.hpp"

namespace forebay::wire {
namespace {

// "md5" asks for SCRAM if that is what is stored.
class RealLoginTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    PostgresServerOptions options;
    options.authentication = "md5";
    server_ = std::make_unique<RealServer>(options);
    server_->ask("CREATE ROLE app LOGIN PASSWORD 'hunter2'");
    server_->ask("CREATE ROLE umlaut LOGIN PASSWORD 'pässwörd €'");
    server_->ask(
        "DO $$ BEGIN SET LOCAL password_encryption = 'md5'; "
        "CREATE ROLE old LOGIN PASSWORD 'hunter2'; END $$");
  }
  static void TearDownTestSuite() { server_.reset(); }

  static Session login(ClientCredentials credentials) {
    Session session(server_->server->port());
    session.start(std::move(credentials));
    return session;
  }
  static std::string stored(const std::string& role) {
    return server_->ask("SELECT rolpassword FROM pg_authid WHERE rolname = '" + role + "'");
  }

  static inline std::unique_ptr<RealServer> server_;
};

TEST_F(RealLoginTest, BySCRAM) {
  ClientCredentials credentials = as_user("app", "hunter2");
  credentials.allowed = {.trust = false, .cleartext = false, .md5 = false};
  Session session = login(credentials);
  ASSERT_TRUE(session.is_ready()) << session.problem() << session.sqlstate();
  EXPECT_TRUE(session.authentication().derived_keys());
  EXPECT_EQ(session.value_of("SELECT current_user"), "app");
  EXPECT_EQ(login(as_user("app", "hunter3")).sqlstate(), "28P01");
  EXPECT_EQ(login(as_user("nobody", "hunter2")).sqlstate(), "28P01");
}

TEST_F(RealLoginTest, ByAPasswordBeyondAscii) {
  EXPECT_TRUE(login(as_user("umlaut", "pässwörd €")).is_ready());
  EXPECT_FALSE(login(as_user("umlaut", "password")).is_ready());
}

TEST_F(RealLoginTest, ByMD5) {
  ClientCredentials credentials = as_user("old", "hunter2");
  credentials.allowed = {.trust = false, .cleartext = false, .scram = false};
  EXPECT_TRUE(login(credentials).is_ready());
  EXPECT_EQ(login(as_user("old", "hunter3")).sqlstate(), "28P01");
  EXPECT_EQ(*md5_secret("hunter2", "old"), stored("old"));
  EXPECT_TRUE(StoredSecret::parse(stored("old")).is_of("hunter2", "old"));
}

TEST_F(RealLoginTest, ByTheKeysOfAnEarlierSession) {
  const Session first = login(as_user("app", "hunter2"));
  ClientCredentials credentials = as_user("app");
  credentials.scram.known = first.authentication().derived_keys();
  EXPECT_TRUE(login(credentials).is_ready());
}

// What a proxy does for a client whose password it never sees.
TEST_F(RealLoginTest, ByTheKeysThatAClientHasShownToUs) {
  const std::optional<ScramVerifier> verifier = ScramVerifier::parse(stored("app"));
  ASSERT_TRUE(verifier);
  EXPECT_TRUE(verifier->is_of("hunter2"));
  EXPECT_EQ(verifier->text(), stored("app"));
  ScramClientOptions options("abc");
  options.password = "hunter2";
  ScramClient client(options);
  ScramServer server(ScramServerOptions(*verifier, "def"));
  const Result<std::string> challenge = server.receive_first(kScram, client.first());
  const Result<std::string> answer = client.receive_challenge(*challenge);
  ASSERT_TRUE(server.receive_final(*answer));

  ClientCredentials credentials = as_user("app");
  credentials.scram.known = server.client_keys();
  EXPECT_TRUE(login(credentials).is_ready());
}

TEST_F(RealLoginTest, AVerifierOfOursIsAPasswordOfPostgres) {
  const ScramVerifier verifier = ScramVerifier::of("made here", "salt of our own", 5000);
  server_->ask("CREATE ROLE ours LOGIN PASSWORD '" + verifier.text() + "'");
  EXPECT_EQ(stored("ours"), verifier.text());
  EXPECT_TRUE(login(as_user("ours", "made here")).is_ready());
}

TEST(RealCleartextTest, ByThePasswordInClear) {
  PostgresServerOptions options;
  options.authentication = "password";
  const RealServer server(options);
  server.ask("CREATE ROLE app LOGIN PASSWORD 'hunter2'");
  const auto login = [&](const std::string& password) {
    Session session(server.server->port());
    session.start(as_user("app", password));
    return session.is_ready() ? "in" : session.sqlstate() + session.problem();
  };
  EXPECT_EQ(login("hunter2"), "in");
  EXPECT_EQ(login("hunter3"), "28P01");
  EXPECT_EQ(login(""), "the server asks for a password, and there is none");
}

// The server's account has to own the key.
void give_to_server(const std::string& path) {
  const passwd* const account = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
  const bool is_theirs = !account || ::chown(path.c_str(), account->pw_uid, account->pw_gid) == 0;
  EXPECT_TRUE(is_theirs) << path;
}

TEST(RealChannelBindingTest, TheExchangeIsBoundToItsCertificate) {
  test::CertificateAuthority authority("test");
  const test::CertificateFiles files = authority.issue({});
  give_to_server(authority.folder());
  give_to_server(files.certificate);
  give_to_server(files.key);
  std::filesystem::permissions(files.key, std::filesystem::perms::owner_read);
  PostgresServerOptions options;
  options.authentication = "scram-sha-256";
  options.settings = {
      {"ssl", "on"}, {"ssl_cert_file", files.certificate}, {"ssl_key_file", files.key}};
  const RealServer server(options);
  server.ask("CREATE ROLE app LOGIN PASSWORD 'hunter2'");
  const auto login = [&](const std::string& instead, bool could_bind = false) {
    Session session(server.server->port());
    EXPECT_EQ(session.ask_for_tls(), 'S');
    ClientCredentials credentials = as_user("app", "hunter2");
    const std::string seen = session.channel_binding();
    if (!could_bind) credentials.scram.channel_binding = instead.empty() ? seen : instead;
    credentials.scram.could_bind = could_bind;
    session.start(credentials);
    return session.is_ready() ? "in" : session.sqlstate() + session.problem();
  };
  EXPECT_EQ(login(""), "in");
  EXPECT_EQ(login("the hash of somebody between us"), "28000");
  EXPECT_EQ(login("", true), "28000");  // a client that believes that nothing was offered
}

}  // namespace
}  // namespace forebay::wire
