// What we write, a real PostgreSQL accepts; what it answers, we read.
#include <array>

#include <gmock/gmock.h>

#include "wire_real/postgres_fixture.hpp"

namespace forebay::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class RealQueryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<RealServer>(PostgresServerOptions{});
    server_->ask("CREATE ROLE app LOGIN");
    server_->ask("GRANT ALL ON SCHEMA public TO app");
  }
  static void TearDownTestSuite() { server_.reset(); }

  RealQueryTest() : session_(server_->server->port()) { session_.start(as_user("app")); }

  static inline std::unique_ptr<RealServer> server_;
  Session session_;
};

TransactionStatus status_after(const std::vector<WireMessage>& messages) {
  return *parse_ready_for_query(messages.back().body);
}

TEST_F(RealQueryTest, TheStartTellsParametersAndAKey) {
  ASSERT_TRUE(session_.is_ready()) << session_.problem();
  EXPECT_THAT(session_.parameters().at("server_version"), StartsWith("15"));
  EXPECT_EQ(session_.parameters().at("client_encoding"), "UTF8");
  EXPECT_EQ(session_.cancel_key().key.size(), 4u);
  EXPECT_EQ(session_.value_of("SELECT pg_backend_pid()"),
            std::to_string(session_.cancel_key().process));
}

TEST_F(RealQueryTest, AnOlderServerNamesWhatItDoesNotKnow) {
  Session modern(server_->server->port());
  modern.start(as_user("app"), kVersion32, {{"_pq_.forebay", "1"}, {"application_name", "wire"}});
  ASSERT_TRUE(modern.is_ready()) << modern.problem() << modern.sqlstate();
  EXPECT_EQ(modern.version(), kVersion30);
  EXPECT_THAT(modern.refused_options(), ElementsAre("_pq_.forebay"));
  EXPECT_EQ(modern.value_of("SHOW application_name"), "wire");
}

TEST_F(RealQueryTest, WithoutTlsTheAnswerIsNo) {
  Session session(server_->server->port());
  EXPECT_EQ(session.ask_for_tls(), 'N');
  session.start(as_user("app"));
  EXPECT_TRUE(session.is_ready());
}

TEST_F(RealQueryTest, SimpleQueries) {
  const auto messages = session_.query("SELECT 17 AS seventeen, NULL::text; SELECT 'two' AS word");
  ASSERT_EQ(types(messages), "TDCTDCZ");
  const Result<ColumnList> columns = parse_row_description(messages[0].body);
  ASSERT_EQ(columns->size(), 2u);
  EXPECT_EQ((*columns->begin()).name, "seventeen");
  EXPECT_EQ((*columns->begin()).type, 23u);  // int4
  EXPECT_EQ((*columns->begin()).type_size, 4);
  const Result<ValueList> row = parse_data_row(messages[1].body);
  EXPECT_THAT(std::vector<Value>(row->begin(), row->end()), ElementsAre("17", std::nullopt));
  EXPECT_EQ(*parse_command_complete(messages[2].body), "SELECT 1");
  EXPECT_EQ(types(session_.query("")), "IZ");
}

TEST_F(RealQueryTest, ErrorsAndTransactions) {
  EXPECT_EQ(status_after(session_.query("BEGIN")), TransactionStatus::in_transaction);
  const auto failed = session_.query("SELECT nothing");
  ASSERT_EQ(types(failed), "EZ");
  EXPECT_EQ(status_after(failed), TransactionStatus::failed);
  const Result<ErrorFields> error = parse_error_fields(failed[0].body);
  EXPECT_EQ(error->sqlstate(), "42703");
  EXPECT_EQ(error->severity(), "ERROR");
  EXPECT_EQ(error->find('P'), "8");  // where in the text
  EXPECT_FALSE(error->ends_session());
  EXPECT_EQ(status_after(session_.query("ROLLBACK")), TransactionStatus::idle);

  const auto noted = session_.query("DO $$ BEGIN RAISE NOTICE 'hear' USING HINT = 'this'; END $$");
  ASSERT_EQ(types(noted), "NCZ");
  EXPECT_EQ(parse_error_fields(noted[0].body)->message(), "hear");
  EXPECT_EQ(parse_error_fields(noted[0].body)->hint(), "this");
  EXPECT_EQ(parse_error_fields(noted[0].body)->severity(), "NOTICE");
}

TEST_F(RealQueryTest, ExtendedQueries) {
  const std::array<std::uint32_t, 2> parameter_types{23, 25};
  const std::array<std::int16_t, 2> formats{1, 0};
  const std::array<Value, 2> parameters{std::string_view("\0\0\0\x07", 4), std::nullopt};
  const std::array<std::int16_t, 1> binary{1};
  std::string out;
  write_parse(out, "s", "SELECT g, $2 FROM generate_series(1, $1) g", parameter_types);
  write_describe(out, Target::statement, "s");
  write_bind(out, {"p", "s", formats, parameters, binary});
  write_describe(out, Target::portal, "p");
  write_execute(out, "p", 3);
  write_execute(out, "p");
  write_close(out, Target::portal, "p");
  write_close(out, Target::statement, "s");
  write_sync(out);
  session_.send(out);
  const auto messages = session_.until_ready();
  ASSERT_EQ(types(messages), "1tT2TDDDsDDDDC33Z");
  EXPECT_EQ(parse_parameter_description(messages[1].body)->size(), 2u);
  EXPECT_EQ((*parse_parameter_description(messages[1].body))[1], 25u);
  EXPECT_EQ((*parse_row_description(messages[4].body)->begin()).format, 1);
  const Result<ValueList> last = parse_data_row(messages[12].body);
  EXPECT_THAT(std::vector<Value>(last->begin(), last->end()),
              ElementsAre(std::string_view("\0\0\0\x07", 4), std::nullopt));
}

TEST_F(RealQueryTest, FlushBringsAnswersWithoutSync) {
  std::string out;
  write_parse(out, "", "SELECT 1");
  write_flush(out);
  session_.send(out);
  EXPECT_EQ(session_.next().type, '1');
  out.clear();
  write_describe(out, Target::statement, "");
  write_sync(out);
  session_.send(out);
  EXPECT_EQ(types(session_.until_ready()), "tTZ");
}

TEST_F(RealQueryTest, APipelineWithAMistakeInIt) {
  std::string out;
  for (const char* const sql : {"SELECT 1", "SELECT 1/0", "SELECT 3"}) {
    write_parse(out, "", sql);
    write_bind(out, {});
    write_execute(out, "");
    write_sync(out);
  }
  session_.send(out);
  EXPECT_EQ(types(session_.until_ready()), "12DCZ");
  const auto failed = session_.until_ready();
  ASSERT_EQ(types(failed), "1EZ");  // Bind finds it out
  EXPECT_EQ(parse_error_fields(failed[1].body)->sqlstate(), "22012");
  EXPECT_EQ(types(session_.until_ready()), "12DCZ");
}

TEST_F(RealQueryTest, CopyBothWays) {
  session_.query("CREATE TEMPORARY TABLE copied (id int, word text)");
  std::string out;
  write_query(out, "COPY copied FROM STDIN");
  session_.send(out);
  const WireMessage in = session_.next();
  ASSERT_EQ(in.type, 'G');
  EXPECT_EQ(parse_copy_response(in.body)->format, 0);
  EXPECT_EQ(parse_copy_response(in.body)->column_formats.size(), 2u);
  out.clear();
  write_copy_data(out, "1\tone\n2\t");  // pieces need not be rows
  write_copy_data(out, "two\n");
  write_copy_done(out);
  session_.send(out);
  const auto done = session_.until_ready();
  ASSERT_EQ(types(done), "CZ");
  EXPECT_EQ(*parse_command_complete(done[0].body), "COPY 2");

  const auto back = session_.query("COPY copied TO STDOUT");
  ASSERT_EQ(types(back), "HddcCZ");
  EXPECT_EQ(back[1].body, "1\tone\n");
  EXPECT_EQ(back[2].body, "2\ttwo\n");
  EXPECT_EQ(parse_copy_response(session_.query("COPY copied TO STDOUT BINARY")[0].body)->format, 1);
}

TEST_F(RealQueryTest, ACopyThatIsGivenUp) {
  session_.query("CREATE TEMPORARY TABLE given_up (id int)");
  std::string out;
  write_query(out, "COPY given_up FROM STDIN");
  write_copy_data(out, "1\n");
  write_copy_fail(out, "no more");
  session_.send(out);
  const auto messages = session_.until_ready();
  ASSERT_EQ(types(messages), "GEZ");
  EXPECT_EQ(parse_error_fields(messages[1].body)->sqlstate(), "57014");
  EXPECT_THAT(std::string(parse_error_fields(messages[1].body)->message()),
              ::testing::HasSubstr("no more"));
}

TEST_F(RealQueryTest, Notifications) {
  const auto messages = session_.query("LISTEN here; NOTIFY here, 'there'");
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [](const WireMessage& one) { return one.type == 'A'; });
  ASSERT_NE(found, messages.end()) << types(messages);
  const Result<NotificationView> notification = parse_notification(found->body);
  EXPECT_EQ(notification->channel, "here");
  EXPECT_EQ(notification->payload, "there");
  EXPECT_EQ(notification->process, session_.cancel_key().process);
}

TEST_F(RealQueryTest, FunctionCalls) {
  const std::string id = session_.value_of("SELECT 'pg_catalog.int4abs'::regproc::oid");
  const std::array<Value, 1> arguments{"-17"};
  std::string out;
  write_function_call(
      out, {.function = static_cast<std::uint32_t>(std::stoul(id)), .arguments = arguments});
  session_.send(out);
  const auto messages = session_.until_ready();
  ASSERT_EQ(types(messages), "VZ");
  EXPECT_EQ(*parse_function_call_response(messages[0].body), "17");
}

TEST_F(RealQueryTest, ACancelArrives) {
  std::string out;
  write_query(out, "SELECT pg_sleep(60)");
  session_.send(out);
  // Until the statement runs there is nothing to cancel.
  Session watcher(server_->server->port());
  watcher.start(as_user("app"));
  const std::string running = "SELECT count(*) FROM pg_stat_activity WHERE pid = " +
                              std::to_string(session_.cancel_key().process) +
                              " AND state = 'active'";
  while (watcher.value_of(running) != "1") continue;
  out.clear();
  write_cancel_request(out, session_.cancel_key());
  WireSocket::connect(server_->server->port())->send(out);
  std::vector<WireMessage> messages = session_.until_ready();
  const auto error = std::find_if(messages.begin(), messages.end(),
                                  [](const WireMessage& one) { return one.type == 'E'; });
  ASSERT_NE(error, messages.end());
  EXPECT_EQ(parse_error_fields(error->body)->sqlstate(), "57014");
}

TEST_F(RealQueryTest, AfterTerminateTheServerHangsUp) {
  std::string out;
  write_terminate(out);
  session_.send(out);
  EXPECT_EQ(session_.next(), WireMessage{});
}

}  // namespace
}  // namespace forebay::wire
