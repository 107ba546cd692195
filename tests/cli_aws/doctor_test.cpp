// "forebay doctor", as a shell starts it: against a real PostgreSQL and the stand-in's DynamoDB,
// and against servers that say what AWS and a running service say.
#include <algorithm>
#include <atomic>

#include "cli_aws/doctor_fixture.hpp"
#include "forebay/coordination/leases/dynamo_lease_store.hpp"
#include "support/fake_postgres.hpp"
#include "support/http_server.hpp"

namespace forebay::cli {
namespace {

using test::HttpServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The text without its line breaks and indentation, so that sentences can be looked for.
std::string flat(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!words.empty() && words.back() != ' ')) words += is_blank ? ' ' : c;
  }
  return words;
}

void acquire(test::DynamoClientWorld& world, const std::string& table, int connections) {
  DynamoLeaseStore store(world.client, table, "127.0.0.1");
  AcquireRequest request(LeaseChange("other", 1, connections), 1000);
  request.service = "other";
  request.now = world.runtime.env().wall_clock.now();
  request.reap_after = 3min;
  const auto reply = world.run(store.acquire(request, world.soon()));
  ASSERT_TRUE(reply.has_value()) << reply.error().text();
}

void set_counter(test::DynamoClientWorld& world, const std::string& table, int active) {
  aws::Write drift(aws::Write::Kind::update, table, "dsqllease_counter#127.0.0.1");
  drift.update = "SET active = :count";
  drift.values = {{":count", aws::AttributeValue::number(active)}};
  ASSERT_TRUE(world.run(world.client.write(drift, world.soon())).has_value());
}

TEST_F(DoctorTest, AHealthyServiceIsExitZeroAndNothingIsChanged) {
  const std::string table = table_that_is_set_up();
  acquire(world, table, 5);
  const auto before = world.run(world.client.scan(table, "", world.soon()));

  const Ending ending = doctor(sharing_variables(table));

  EXPECT_EQ(ending.code, 0) << ending.out << ending.err;
  EXPECT_EQ(ending.err, "");  // in a pipe it is quiet
  const std::string told = flat(ending.out);
  EXPECT_THAT(told, AllOf(HasSubstr("reservoir mode is on: 10 of up to 10"),
                          HasSubstr("logged in to 127.0.0.1:"), HasSubstr("as app"),
                          HasSubstr("of 97 that clients may have")));
  EXPECT_THAT(told,
              AllOf(HasSubstr("may be read and written"), HasSubstr("is on for ttl_epoch"),
                    HasSubstr("1 leases hold 5"), HasSubstr("5 of 50 connections are leased"),
                    HasSubstr("agrees with the database"), HasSubstr("0 errors, 0 warnings")));
  EXPECT_EQ(ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'"), "0");
  const auto after = world.run(world.client.scan(table, "", world.soon()));
  ASSERT_TRUE(before.has_value() && after.has_value());
  EXPECT_EQ(after->size(), before->size());
}

TEST_F(DoctorTest, AServerThatIsAwayDoesNotStopTheOtherChecks) {
  const Ending ending = doctor(with(sharing_variables(table_that_is_set_up()), "DB_PORT=1"));
  EXPECT_EQ(ending.code, 2) << ending.out;
  const std::string told = flat(ending.out);
  EXPECT_THAT(told, AllOf(HasSubstr("the database cannot be reached (127.0.0.1:1)"),
                          HasSubstr("security groups"), HasSubstr("may be read and written")));
}

TEST_F(DoctorTest, AWrongPasswordAndAMissingDatabaseAreToldApart) {
  const Ending password = doctor(with(database_variables(), "DB_PASSWORD=hunter2Wrong"));
  EXPECT_EQ(password.code, 2);
  EXPECT_THAT(flat(password.out),
              AllOf(HasSubstr("the database refuses the login"), HasSubstr("DB_PASSWORD")));

  const Ending database = doctor(with(database_variables(), "DB_NAME=nowhere"));
  EXPECT_EQ(database.code, 2);
  EXPECT_THAT(flat(database.out), HasSubstr("there is no such database"));
}

TEST_F(DoctorTest, APoolThatDoesNotFitTheServerIsAnError) {
  const Ending ending = doctor(with(database_variables(), "FOREBAY_POOL_MAX=98"));
  EXPECT_EQ(ending.code, 2) << ending.out;
  EXPECT_THAT(flat(ending.out), HasSubstr("98 connections, and the server"));

  const Ending many = doctor(database_variables(), {"--processes", "9"});
  EXPECT_EQ(many.code, 1) << many.out;
  EXPECT_THAT(flat(many.out), HasSubstr("9 processes with up to 10 connections each may want 90"));
}

TEST_F(DoctorTest, AMissingTableAndATtlThatIsOff) {
  const Ending missing = doctor(sharing_variables("no-such-table"));
  EXPECT_EQ(missing.code, 2) << missing.out;
  EXPECT_THAT(flat(missing.out), AllOf(HasSubstr("table no-such-table (leases) does not exist"),
                                       HasSubstr("forebay leases setup --table no-such-table")));

  const Ending off = doctor(sharing_variables(world.table));
  EXPECT_EQ(off.code, 1) << off.out;
  EXPECT_THAT(flat(off.out), HasSubstr("TTL of table " + world.table + " is not on"));
}

TEST_F(DoctorTest, ACounterThatDriftedAndALimitThatIsReached) {
  const std::string table = table_that_is_set_up();
  acquire(world, table, 5);
  set_counter(world, table, 9);
  const Ending drifted = doctor(sharing_variables(table));
  EXPECT_EQ(drifted.code, 1) << drifted.out;
  EXPECT_THAT(flat(drifted.out), HasSubstr("4 too many"));

  set_counter(world, table, 50);
  const Ending reached = doctor(sharing_variables(table));
  EXPECT_EQ(reached.code, 2) << reached.out;
  EXPECT_THAT(flat(reached.out), HasSubstr("50 of 50 connections are leased"));
}

TEST_F(DoctorTest, DynamoDbThatIsAwayIsToldOnce) {
  const Ending ending =
      doctor(with(sharing_variables("connections"), "AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:1"),
             {"--timeout", "1s"});
  EXPECT_EQ(ending.code, 2) << ending.out;
  EXPECT_THAT(flat(ending.out), AllOf(HasSubstr("DynamoDB at 127.0.0.1"),
                                      HasSubstr("not checked because DynamoDB does not answer")));
}

TEST_F(DoctorTest, WithoutCredentialsTheRestIsStillLookedAt) {
  Words settings = sharing_variables("connections");
  std::erase_if(settings, [](const std::string& each) {
    return each.starts_with("AWS_ACCESS_KEY_ID") || each.starts_with("AWS_SECRET") ||
           each.starts_with("AWS_SESSION");
  });
  const Ending ending = doctor(settings);
  EXPECT_EQ(ending.code, 2) << ending.out;
  EXPECT_THAT(flat(ending.out), AllOf(HasSubstr("not checked because there are no credentials"),
                                      HasSubstr("logged in to")));
  EXPECT_THAT(ending.err, Not(HasSubstr("retry_in")));
}

TEST_F(DoctorTest, ABadConfigurationIsToldWholeAndInJsonTheSame) {
  const Words settings{"DB_PORT=seventy", "DB_SSLMODE=maybe", "DSQL_RESERVOIR_GUARD_WINDOW=45",
                       "FOREBAY_DATABASE_URL=postgresql://u:hunter2@h:x/d"};
  const Ending ending = doctor(settings);
  EXPECT_EQ(ending.code, 2);
  const std::string told = flat(ending.out);
  EXPECT_THAT(told,
              AllOf(HasSubstr("DB_PORT"), HasSubstr("DB_SSLMODE"),
                    HasSubstr("DSQL_RESERVOIR_GUARD_WINDOW"), HasSubstr("FOREBAY_DATABASE_URL"),
                    HasSubstr("not checked because the configuration has errors")));

  const Ending json = doctor(settings, {"--json"});
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(std::ranges::count(json.out, '\n'), 1);
  const auto object = aws::parse_object(json.out);
  ASSERT_TRUE(object.has_value()) << json.out;
  EXPECT_EQ(aws::text_at(*object, "worst"), "error");
  std::size_t errors = 0;
  for (const boost::json::value& each : object->at("findings").as_array()) {
    const boost::json::object& finding = each.as_object();
    EXPECT_THAT(told, HasSubstr(flat(aws::text_at(finding, "what"))));
    errors += aws::text_at(finding, "severity") == "error" ? 1 : 0;
  }
  EXPECT_THAT(told, HasSubstr(std::to_string(errors) + " errors, "));
}

TEST_F(DoctorTest, AClusterOfDsqlIsAskedWithATokenAndTls) {
  Words settings = variables(world.server.url());
  settings.push_back(std::string("FOREBAY_DATABASE_URL=postgresql://admin@") + kCluster +
                     "/postgres?hostaddr=127.0.0.1&port=" + std::to_string(server->port()));
  const Ending ending = doctor(settings);
  EXPECT_EQ(ending.code, 2) << ending.out;
  const std::string told = flat(ending.out);
  EXPECT_THAT(told, AllOf(HasSubstr("credentials come from"), HasSubstr("region us-east-1"),
                          HasSubstr("a token for the user admin can be signed"),
                          HasSubstr("TLS with the database does not come about")));
  EXPECT_THAT(told, Not(HasSubstr("X-Amz-")));
}

TEST_F(DoctorTest, ATokenThatIsRefusedNamesThePermissionAndOneThatIsTakenTellsNothing) {
  std::atomic<bool> is_open = false;
  test::FakePostgres cluster([&](int, const std::string&) -> std::optional<test::Refusal> {
    if (is_open) return std::nullopt;
    return test::Refusal{"28000", "unable to accept connection, access denied", ""};
  });
  Words settings = variables(world.server.url());
  for (const std::string& variable :
       {"FOREBAY_DATABASE_URL=" + cluster.url(), std::string("FOREBAY_CLUSTER_REGION=us-east-1"),
        std::string("FOREBAY_DATABASE_AUTHENTICATION=iam")})
    settings.push_back(variable);

  const Ending refused = doctor(settings);
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_THAT(flat(refused.out), AllOf(HasSubstr("the database refuses the login"),
                                       HasSubstr("dsql:DbConnectAdmin"), Not(HasSubstr("X-Amz-"))));
  ASSERT_EQ(cluster.passwords().size(), 1u);  // one try, and no second one
  EXPECT_THAT(cluster.passwords()[0], HasSubstr("Action=DbConnectAdmin"));

  is_open = true;  // it lets us in and answers no question: what is not known is not told
  const Ending taken = doctor(settings);
  EXPECT_EQ(taken.code, 0) << taken.out;
  EXPECT_THAT(flat(taken.out), HasSubstr("logged in to 127.0.0.1"));
}

TEST_F(DoctorTest, WithoutADatabaseItSaysSo) {
  const Ending ending = doctor({});
  EXPECT_EQ(ending.code, 1) << ending.out;
  EXPECT_THAT(flat(ending.out), HasSubstr("no database is named"));
}

// A DynamoDB that lets everything be read and refuses one action, ten minutes ahead of us.
HttpResponse dynamodb_that_refuses_updates(const HttpRequest& request) {
  const std::string_view target = request.header("X-Amz-Target");
  const auto is = [&](std::string_view name) { return target.ends_with(name); };
  HttpResponse response(200);
  response.headers.emplace_back("Date", "Fri, 01 Jan 2100 00:00:00 GMT");
  response.body = "{}";
  if (is("DescribeTable"))
    response.body =
        R"({"Table":{"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
        R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
        R"("ProvisionedThroughput":{"ReadCapacityUnits":5}}})";
  if (is("DescribeTimeToLive"))
    response.body =
        R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl_epoch"}})";
  if (is("PutItem") || is("DeleteItem") || is("UpdateItem")) {
    response.status = 400;
    response.body = is("UpdateItem")
                        ? R"({"__type":"x#AccessDeniedException","Message":"User: me is not )"
                          R"(authorized to perform: dynamodb:UpdateItem on resource: t"})"
                        : R"({"__type":"x#ConditionalCheckFailedException","message":"no"})";
  }
  return response;
}

TEST_F(DoctorTest, AMissingPermissionAClockThatIsOffAndProvisionedCapacity) {
  HttpServer refusing(dynamodb_that_refuses_updates);
  const Ending ending = doctor(
      with(sharing_variables("connections"), "AWS_ENDPOINT_URL_DYNAMODB=" + refusing.url("")));
  EXPECT_EQ(ending.code, 2) << ending.out;
  const std::string told = flat(ending.out);
  EXPECT_THAT(told,
              AllOf(HasSubstr("to do dynamodb:UpdateItem on table \"connections\""),
                    Not(HasSubstr("to do dynamodb:PutItem")), HasSubstr("behind that of DynamoDB"),
                    HasSubstr("has provisioned capacity")));
}

// A reservoir that cannot be filled: each look finds more failures.
TEST_F(DoctorTest, ARunningInstanceIsWatchedForAWhile) {
  std::atomic<int> looks = 0;
  HttpServer instance([&](const HttpRequest& request) {
    EXPECT_EQ(request.url, "/metrics");
    ++looks;
    HttpResponse page(200);
    page.body =
        "dsql_reservoir_size{service=\"orders\",pool=\"main\"} 0\n"
        "dsql_reservoir_target{service=\"orders\",pool=\"main\"} 50\n"
        "forebay_pool_filled{service=\"orders\",pool=\"main\"} 0\n"
        "dsql_reservoir_refill_failures_total{service=\"orders\",pool=\"main\","
        "reason=\"token_provider\"} " +
        std::to_string(looks * 7) + "\n";
    return page;
  });
  const Ending told = doctor({"FOREBAY_METRICS_URL=" + instance.url("/")}, {"--for", "200ms"});
  EXPECT_EQ(told.code, 2) << told.out;
  EXPECT_THAT(flat(told.out),
              AllOf(HasSubstr("has 0 of 50 connections ready"),
                    HasSubstr("7 refills failed within"), HasSubstr("dsql:DbConnect")));
  EXPECT_EQ(looks, 2);
}

TEST_F(DoctorTest, AnInstanceThatDoesNotAnswerOrIsSomethingElse) {
  const Ending away = doctor({}, {"--metrics", "http://127.0.0.1:1/metrics"});
  EXPECT_EQ(away.code, 2) << away.out;
  EXPECT_THAT(flat(away.out), HasSubstr("http://127.0.0.1:1/metrics cannot be read"));

  HttpServer other([](const HttpRequest&) {
    HttpResponse page(200);
    page.body = "<html>hello</html>\n";
    return page;
  });
  const Ending html = doctor({}, {"--metrics", other.url("")});
  EXPECT_EQ(html.code, 2) << html.out;
  EXPECT_THAT(flat(html.out), HasSubstr("line 1 is no metric"));
}

}  // namespace
}  // namespace forebay::cli
