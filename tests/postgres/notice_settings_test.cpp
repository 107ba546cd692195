// The server is told how soon to notice our end, and our own sockets how soon to notice its end.
#include "forebay/postgres/driver/notice_settings.hpp"

#include <cstdlib>

#include <libpq-fe.h>

#include "postgres/postgres_fixture.hpp"
#include "support/forwarder.hpp"

namespace forebay::postgres {
namespace {

using test::Forwarder;

const NoticePlan kPlan = plan_notice(6s);

TEST(NoticeSettingsTest, AreSentBeforeTheOptionsOfTheUser) {
  const NoticeSettings settings(kPlan, "-c work_mem=1MB");

  EXPECT_EQ(settings.options(),
            "-c client_connection_check_interval=500 -c tcp_keepalives_idle=2 "
            "-c tcp_keepalives_interval=1 -c tcp_keepalives_count=4 -c tcp_user_timeout=6000 "
            "-c work_mem=1MB");
  EXPECT_TRUE(settings.is_complete());
}

TEST(NoticeSettingsTest, LeaveAloneWhatTheUserHasSet) {
  const NoticeSettings settings(
      kPlan, "--client-connection-check-interval=9s -c TCP_user_timeout=1 -c a=b");

  EXPECT_EQ(settings.options(),
            "-c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=4 "
            "--client-connection-check-interval=9s -c TCP_user_timeout=1 -c a=b");
  EXPECT_EQ(settings.count(), 3);
  EXPECT_FALSE(settings.is_complete());
}

TEST(NoticeSettingsTest, OurSocketsKeepWhatTheConnectionStringSays) {
  ConnectionString own = target("host=a keepalives_idle=77");

  set_notice(own, kPlan);

  EXPECT_EQ(own.get("keepalives_idle"), "77");
  EXPECT_EQ(own.get("keepalives_interval"), "1");
  EXPECT_EQ(own.get("keepalives_count"), "4");
  EXPECT_EQ(own.get("tcp_user_timeout"), "6000");
}

TEST(NoticeSettingsTest, KnowTheRefusalsOfPoolersAndOlderServers) {
  const auto is_known = [](const char* text) {
    return is_refusal_of_settings(Error(Errc::refused, text));
  };
  EXPECT_TRUE(is_known("FATAL: unsupported startup parameter: options"));
  EXPECT_TRUE(is_known("unsupported startup parameter in options: tcp_user_timeout"));
  EXPECT_TRUE(
      is_known("FATAL: unrecognized configuration parameter \"client_connection_check_interval\""));
  EXPECT_TRUE(
      is_known("Feature not supported: RDS Proxy currently doesn't support command-line "
               "options."));
  EXPECT_FALSE(is_known("password authentication failed for user \"app\""));
  EXPECT_FALSE(is_refusal_of_settings(Error(Errc::timed_out, "startup parameter")));
}

LibpqSettings six_seconds() {
  LibpqSettings settings;
  settings.server_notices_after = 6s;
  return settings;
}

// The five settings as the session has them, without what a Unix socket would not tell.
constexpr const char* kAllSettings =
    "SELECT string_agg(setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN "
    "('client_connection_check_interval', 'tcp_keepalives_idle', 'tcp_keepalives_interval', "
    "'tcp_keepalives_count', 'tcp_user_timeout')";
constexpr const char* kToldAll = "500 4 2 1 6000";

class NoticeTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }

  std::string ask(LibpqConnection& connection, const std::string& sql) {
    return first_value(connection.exec_blocking(sql, kPatience));
  }

  Runtime runtime_;
};

TEST_F(NoticeTest, IsToldAtTheStartAndOutlivesResets) {
  Client client(runtime_, app_url(), nullptr, ServerProfile::postgresql(), six_seconds());
  const auto connection = client.connect();

  EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
  for (const char* change : {"SET tcp_user_timeout = 1", "RESET ALL", "DISCARD ALL"})
    ask(*connection, change);
  EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
  ASSERT_TRUE(client.reset(*connection));

  EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
  EXPECT_EQ(connection->notice().silence, 6s);
  EXPECT_EQ(connection->notice().check_interval, 500ms);
}

TEST_F(NoticeTest, OurSocketIsToldTheSame) {
  Client client(runtime_, app_url(), nullptr, ServerProfile::postgresql(), six_seconds());
  const auto connection = client.connect();

  const auto option = [&](int name) {
    unsigned value = 0;
    socklen_t size = sizeof value;
    ::getsockopt(PQsocket(connection->native()), IPPROTO_TCP, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(TCP_KEEPIDLE), 2u);
  EXPECT_EQ(option(TCP_KEEPINTVL), 1u);
  EXPECT_EQ(option(TCP_KEEPCNT), 4u);
  EXPECT_EQ(option(TCP_USER_TIMEOUT), 6000u);
}

TEST_F(NoticeTest, TheUsersOwnOptionsCount) {
  Client client(
      runtime_,
      app_url() + "?options=-c%20client_connection_check_interval%3D7s%20-c%20work_mem%3D2MB",
      nullptr, ServerProfile::postgresql(), six_seconds());
  const auto connection = client.connect();

  EXPECT_EQ(ask(*connection, "SHOW client_connection_check_interval"), "7s");
  EXPECT_EQ(ask(*connection, "SHOW work_mem"), "2MB");
  EXPECT_EQ(ask(*connection, "SHOW tcp_keepalives_idle"), "2");
  EXPECT_FALSE(connection->notice().check_interval.has_value());
}

TEST_F(NoticeTest, OptionsOfTheEnvironmentAreNotLost) {
  ::setenv("PGOPTIONS", "-c work_mem=3MB", 1);
  Client client(runtime_, app_url(), nullptr, ServerProfile::postgresql(), six_seconds());
  const auto connection = client.connect();
  ::unsetenv("PGOPTIONS");

  EXPECT_EQ(ask(*connection, "SHOW work_mem"), "3MB");
  EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
}

TEST_F(NoticeTest, NothingIsSaidToAServerOfAnotherKind) {
  ServerProfile profile = ServerProfile::postgresql();
  profile.knows_notice = false;
  Client client(runtime_, app_url(), nullptr, profile, six_seconds());
  const auto connection = client.connect();

  EXPECT_EQ(ask(*connection, "SHOW client_connection_check_interval"), "0");
  EXPECT_FALSE(connection->notice().silence.has_value());
  EXPECT_FALSE(ServerProfile::dsql().knows_notice);
}

// As a pooler does that knows no options.
Forwarder::Verdict refuse_options(std::string_view packet) {
  Forwarder::Verdict verdict;
  if (!packet.contains(std::string_view("\0options\0", 9))) return verdict;
  verdict.is_forwarded = false;
  verdict.answer = test::refusal_message("08P01", "unsupported startup parameter: options");
  return verdict;
}

TEST_F(NoticeTest, APoolerThatRefusesOptionsIsToldByAStatement) {
  Forwarder pooler(server_->port(), refuse_options);
  Client client(runtime_, pooler.conninfo("app") + " password=hunter2", nullptr,
                ServerProfile::postgresql(), six_seconds());

  const auto refused = client.try_connect();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().text().contains("by a statement")) << refused.error().text();

  for (int round = 0; round < 2; ++round) {  // it remembers
    const auto connection = client.connect();
    EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
    ask(*connection, "BEGIN");
    ASSERT_TRUE(client.reset(*connection));
    EXPECT_EQ(ask(*connection, kAllSettings), kToldAll);
    EXPECT_EQ(connection->notice().silence, 6s);
  }
}

}  // namespace
}  // namespace forebay::postgres
