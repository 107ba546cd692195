// Ways in which a connect fails, each provoked for real: the doctor names what is wrong, and what
// to do about that and not about something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/doctor/database_check.hpp"
#include "forebay/doctor/database_probe.hpp"
#include "integration/pool_fixture.hpp"
#include "support/forwarder.hpp"
#include "support/name_server.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

struct Breakage {
  std::string name;
  std::string conninfo;  // "user=app" and so on; the server is put in front of it
  std::string what;      // of the finding
  std::string advice;
};

class BreakagesTest : public PoolFixture {
 protected:
  BreakagesTest() { launch({}); }

  // The first error that the doctor finds.
  doctor::Finding judged(const std::string& url, Duration timeout = 20s) {
    RuntimeOptions asking;
    asking.name_servers = names_.place();
    Runtime own(asking);
    DatabaseTarget target;
    target.url = url;
    const doctor::DatabaseFacts facts = run_blocking(
        own.scheduler(),
        doctor::look_at_database(own.env(), postgres::libpq_env(own), target, "", timeout));
    const doctor::Findings findings = doctor::check_database(facts, 5, 30s);
    for (const doctor::Finding& each : findings) {
      if (each.severity == doctor::Severity::error) return each;
    }
    return doctor::Finding(doctor::Severity::ok, "database", "nothing is wrong");
  }
  void expect_told(const std::string& url, const Breakage& breakage, Duration timeout = 20s) {
    SCOPED_TRACE(breakage.name);
    const doctor::Finding finding = judged(url, timeout);
    EXPECT_THAT(finding.what, HasSubstr(breakage.what));
    EXPECT_THAT(finding.advice, HasSubstr(breakage.advice));
  }
  std::string at(int port, const std::string& rest) const {
    return fmt::format("host=127.0.0.1 port={} dbname=postgres gssencmode=disable {}", port, rest);
  }
  // Who may come in over TCP, as pg_hba.conf says it.
  void let_in(const std::string& lines) {
    ASSERT_TRUE(ask(fmt::format("DO $do$ BEGIN EXECUTE format('COPY (SELECT line FROM unnest("
                                "ARRAY[''local all all trust'', {}]) line) TO %L', "
                                "current_setting('hba_file')); END $do$",
                                lines))
                    .has_value());
    ASSERT_TRUE(ask("SELECT pg_reload_conf(), pg_sleep(0.3)").has_value());
  }

  NameServer names_{NameServer::Table()};
};

TEST_F(BreakagesTest, WhoAnswers) {
  expect_told("host=nobody.example user=app dbname=postgres",
              {"the name", "", "does not resolve", "DB_HOST"});

  std::uint16_t closed = 0;
  {
    const LoopbackListener free;
    closed = free.port();
  }
  expect_told(at(closed, "user=app"), {"nobody listens", "", "cannot be reached", "nc -zv"});

  const auto answering = [](std::string answer) {
    return [answer](std::string_view) { return Forwarder::Verdict{false, answer}; };
  };
  const Forwarder silent(closed, answering(""));
  expect_told(at(silent.port(), "user=app sslmode=disable"),
              {"it says nothing", "", "cannot be reached", "nc -zv"}, 500ms);

  const std::string page = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
  const Forwarder web(closed, answering(page));
  for (const char* sslmode : {"disable", "prefer", "require"})
    expect_told(at(web.port(), fmt::format("user=app sslmode={}", sslmode)),
                {"HTTP", "", "no PostgreSQL: it speaks HTTP", "DB_PORT"});
  const Forwarder mail(closed, answering("220 mail.example ESMTP\r\n"));
  expect_told(at(mail.port(), "user=app sslmode=require"),
              {"SMTP", "", "what answers there is no PostgreSQL (", "DB_PORT"});
}

TEST_F(BreakagesTest, Encryption) {
  expect_told(at(server->port(), "user=app sslmode=require"),
              {"a server without TLS", "", "TLS with the database", "DB_SSLMODE"});

  // It agrees to TLS, and there is nothing to compare its certificate with.
  const Forwarder agreeing(server->port(),
                           [](std::string_view) { return Forwarder::Verdict{false, "S"}; });
  expect_told(at(agreeing.port(), "user=app sslmode=verify-full sslrootcert=/nowhere/root.crt"),
              {"no root certificate", "", "TLS with the database",
               "sslrootcert=" + postgres::system_root_certificates(postgres::libpq_version())});

  let_in("''hostssl all all 127.0.0.1/32 trust''");
  expect_told(at(server->port(), "user=app sslmode=disable"),
              {"encryption required", "", "TLS with the database",
               "the server requires encryption: set database.sslmode (DB_SSLMODE), which is "
               "disable, to verify-full"});
}

TEST_F(BreakagesTest, Login) {
  ASSERT_TRUE(ask("SET password_encryption = 'scram-sha-256'; ALTER ROLE app PASSWORD 'right'")
                  .has_value());
  let_in("''host all all 127.0.0.1/32 scram-sha-256''");
  const std::string here = at(server->port(), "");
  for (const Breakage& each : std::vector<Breakage>{
           {"wrong password", "user=app password=wrong", "refuses the login", "DB_PASSWORD"},
           {"no password", "user=app", "refuses the login", "DB_PASSWORD"},
           {"no such role", "user=nobody password=x", "refuses the login", "DB_USER"},
           {"no such database", "user=app password=right dbname=missing",
            "there is no such database", "DB_NAME"}})
    expect_told(here + each.conninfo, each);
  ASSERT_TRUE(ask("ALTER ROLE app CONNECTION LIMIT 0").has_value());
  expect_told(here + "user=app password=right",
              {"one too many", "", "no room for one more", "make the pools"});
  ASSERT_TRUE(ask("ALTER ROLE app CONNECTION LIMIT 2").has_value());
  expect_told(
      here + "user=app password=right",
      {"too few for a pool", "", "the role (CONNECTION LIMIT) allows 2", "FOREBAY_POOL_MAX"});
  let_in("''host all nobody 127.0.0.1/32 trust''");
  expect_told(here + "user=app password=right", {"not in pg_hba.conf", "", "", "pg_hba.conf"});
}

}  // namespace
}  // namespace forebay::test
