// Settings that sessions start with: any value arrives as it is, and each reset returns to it.
#include "forebay/postgres/driver/session_options.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

TEST(SessionOptionsTest, SettingsComeAfterTheUsersOwnOptions) {
  const SessionSettings settings = {{"search_path", "app, public"}, {"jit", "off"}};

  EXPECT_EQ(with_settings("", {}), "");
  EXPECT_EQ(with_settings("-c jit=on", {}), "-c jit=on");
  EXPECT_EQ(with_settings("-c jit=on", settings),
            "-c jit=on -c jit=off -c search_path=app,\\ public");
}

TEST(SessionOptionsTest, WhatLibpqHasAKeywordForGoesByIt) {
  const SessionSettings settings = {{"Application_Name", "orders"}, {"client_encoding", "LATIN1"}};
  ConnectionString text = target("host=db application_name=other");

  set_keywords(text, settings);

  EXPECT_EQ(with_settings("", settings), "");
  EXPECT_EQ(text.get("application_name"), "orders");
  EXPECT_EQ(text.get("client_encoding"), "LATIN1");
}

TEST(SessionOptionsTest, ARefusedSettingIsFoundInTheError) {
  const SessionSettings settings = {{"jit", "off"}, {"Search_Path", "app"}};
  const auto named = [&settings](const char* text) {
    return setting_in(Error(Errc::connect_failed, text), settings);
  };

  EXPECT_EQ(named("setting configuration parameter \"search_path\" not supported"), "Search_Path");
  EXPECT_EQ(named("unsupported startup parameter in options: jit"), "jit");
  EXPECT_EQ(named("could not connect to jit.example"), "");
  EXPECT_EQ(named("unrecognized configuration parameter \"search_paths\""), "");
}

class SessionSettingsTest : public PostgresTest {
 protected:
  static void SetUpTestSuite() { launch(PostgresServerOptions{}); }

  // Both with and without what the server is told of us beside it.
  static LibpqSettings with(SessionSettings settings, Duration notice = 6s) {
    LibpqSettings all;
    all.server_notices_after = notice;
    all.session_settings = std::move(settings);
    return all;
  }
  Client client(const LibpqSettings& settings, const std::string& url = app_url()) {
    return Client(runtime_, url, nullptr, ServerProfile::postgresql(), settings);
  }
  std::string ask(LibpqConnection& connection, const std::string& sql) {
    return first_value(connection.exec_blocking(sql, kPatience));
  }

  Runtime runtime_;
};

TEST_F(SessionSettingsTest, AnyValueArrivesAsItIs) {
  const std::vector<std::string> values = {"",
                                           " ",
                                           "  two  blanks  ",
                                           "a\\b\\",
                                           "\\\\",
                                           "\\ ",
                                           "it's \"quoted\"",
                                           "-c enable_seqscan=off",
                                           "--enable_seqscan=off",
                                           "a=b",
                                           "'; DROP TABLE t; --",
                                           "line\nline\r\n\ttab\v\f",
                                           "$1 %s {} #",
                                           "gr\u00fc\u00dfe \u4f60\u597d"};
  SessionSettings settings;
  for (std::size_t i = 0; i < values.size(); ++i) settings["app.v" + std::to_string(i)] = values[i];

  for (const Duration notice : {Duration(6s), Duration::max()}) {
    Client open = client(with(settings, notice));
    const Client::OpenConnection connection = open.connect();
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(ask(*connection, "SHOW app.v" + std::to_string(i)), values[i]);
    EXPECT_EQ(ask(*connection, "SHOW enable_seqscan"), "on");
  }
}

TEST_F(SessionSettingsTest, EachResetReturnsToThem) {
  const SessionSettings settings = {{"search_path", "app, \"My Schema\""},
                                    {"statement_timeout", "40s"},
                                    {"TimeZone", "Asia/Tokyo"},
                                    {"application_name", "orders"},
                                    {"client_encoding", "LATIN1"},
                                    {"default_transaction_read_only", "on"}};
  Client open = client(with(settings));
  const Client::OpenConnection connection = open.connect();

  for (const ServerProfile& profile : {ServerProfile::postgresql(), ServerProfile::dsql()}) {
    for (const auto& [name, value] : settings) {
      EXPECT_EQ(ask(*connection, "SHOW " + name), value);
      const auto set = connection->exec_blocking("SET " + name + " TO DEFAULT", kPatience);
      EXPECT_TRUE(set);
    }
    EXPECT_TRUE(connection->exec_blocking("SET search_path = nowhere", kPatience));
    EXPECT_TRUE(connection->exec_blocking("SET statement_timeout = '1s'", kPatience));
    EXPECT_TRUE(connection->exec_blocking("SET application_name = mine", kPatience));
    for (const std::string& message : profile.reset_messages({wire::Leftover::everything}, false))
      EXPECT_TRUE(connection->exec_blocking(message, kPatience));
    for (const auto& [name, value] : settings) EXPECT_EQ(ask(*connection, "SHOW " + name), value);
  }
}

TEST_F(SessionSettingsTest, TheyCountMoreThanTheConnectionStringsOptions) {
  const std::string url = app_url() + "?options=-c%20jit%3Doff%20-c%20work_mem%3D5MB";
  Client open = client(with({{"jit", "on"}}), url);
  const Client::OpenConnection connection = open.connect();

  EXPECT_EQ(ask(*connection, "SHOW jit"), "on");
  EXPECT_EQ(ask(*connection, "SHOW work_mem"), "5MB");
  EXPECT_EQ(ask(*connection, "SHOW tcp_user_timeout"), "6000");
}

// The pool tells the server how soon to notice our end, unless the user has said something else.
TEST_F(SessionSettingsTest, OneThatThePoolSendsTooCountsMore) {
  Client open = client(with({{"tcp_user_timeout", "9s"}}));
  const Client::OpenConnection connection = open.connect();

  EXPECT_EQ(ask(*connection, "SELECT reset_val FROM pg_settings WHERE name = 'tcp_user_timeout'"),
            "9000");
}

TEST_F(SessionSettingsTest, ARefusalNamesTheSettingAndWhatToDo) {
  for (const auto& [name, value, words] :
       {std::tuple{"serch_path", "app", "unrecognized configuration parameter \"serch_path\""},
        {"statement_timeout", "soon", "invalid value for parameter \"statement_timeout\""},
        {"shared_buffers", "1GB", "cannot be changed without restarting the server"},
        {"log_statement", "all", "permission denied to set parameter \"log_statement\""}}) {
    Client open = client(with({{name, value}}));
    const auto refused = open.try_connect();
    ASSERT_FALSE(refused) << name;
    EXPECT_TRUE(refused.error().text().contains(words)) << refused.error().text();
    EXPECT_TRUE(refused.error().text().contains(std::string(name) +
                                                " is one of the pool's session_settings"))
        << refused.error().text();
  }
}

}  // namespace
}  // namespace forebay::postgres
