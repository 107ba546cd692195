#include "forebay/standin/session/standin_session.hpp"

#include <gtest/gtest.h>

#include "forebay/standin/session/failing_statement.hpp"
#include "standin/standin_talk.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;
using namespace forebay::test::words;

class StandinSessionTest : public testing::Test {
 protected:
  TalkCluster cluster_;
};

TEST_F(StandinSessionTest, WhatIsAllowedGoesThroughByteForByte) {
  StandinTalk talk(cluster_);
  EXPECT_EQ(talk.client(query("SELECT 1")), "Query [SELECT 1]");
  EXPECT_FALSE(talk.session().is_idle());
  EXPECT_EQ(talk.server(complete("SELECT 1") + ready()), "[SELECT 1], Ready I");
  EXPECT_TRUE(talk.session().is_idle());
  EXPECT_EQ(talk.client(parse("s", "SELECT 2") + run("s") + sync()),
            "Parse s [SELECT 2], Bind  of s, Execute, Sync");
  EXPECT_EQ(talk.server(parsed() + bound() + complete("SELECT 1") + ready()),
            "ParseComplete, BindComplete, [SELECT 1], Ready I");
  EXPECT_EQ(talk.client(terminate()), "ends");
}

TEST_F(StandinSessionTest, WhatIsRefusedFailsOnTheServer) {
  StandinTalk talk(cluster_);
  const std::string refusal = fails("0A000", "unsupported statement: Listen");
  EXPECT_EQ(talk.client(query("LISTEN a")), "Query [" + refusal + "]");
  EXPECT_EQ(talk.server(error("0A000", "unsupported statement: Listen") + ready()),
            "ERROR 0A000 [unsupported statement: Listen], Ready I");
  // One that must fail fails all of a text: none of it has run then.
  EXPECT_EQ(talk.client(query("SELECT 1; LISTEN a")), "Query [" + refusal + "]");
}

TEST_F(StandinSessionTest, AParseThatIsRefusedIsAnsweredByOneError) {
  StandinTalk talk(cluster_);
  const std::string refusal = fails("0A000", "unsupported statement: Listen");
  EXPECT_EQ(talk.client(parse("", "LISTEN a") + run("") + sync()),
            "Close S standin_refusal, Parse standin_refusal [" + refusal +
                "], Bind standin_refusal of standin_refusal, Execute, Close P standin_refusal, "
                "Bind  of , Execute, Sync");
  EXPECT_EQ(talk.server(closed() + parsed() + bound() +
                        error("0A000", "unsupported statement: Listen") + ready()),
            "ERROR 0A000 [unsupported statement: Listen], Ready I");
  EXPECT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'I'));
}

// Drivers send Sync behind Execute, and another behind the data. Whether the server had read the
// first when the COPY failed is known with the next answer; nobody waits for that.
TEST_F(StandinSessionTest, ACopyThatFailsWithASyncInsideLeavesTheClientInStep) {
  std::string data;
  wire::write_copy_data(data, "no number\n");
  wire::write_copy_done(data);
  std::string begins;
  wire::write_copy_response(begins, wire::ServerMessage::copy_in_response, 0, {});
  for (const bool is_read : {true, false}) {
    StandinTalk talk(cluster_);
    talk.client(parse("", "COPY t FROM STDIN") + run("") + sync());
    talk.server(parsed() + bound() + begins);
    talk.client(data + sync());

    EXPECT_EQ(talk.server(error("22P02") + ready()), "ERROR 22P02 [no], Ready I");
    // What is refused is asked of the server in other words, whose answers the client is not shown.
    talk.client(parse("", "LISTEN a") + run("") + sync());
    if (!is_read) {
      EXPECT_EQ(talk.server(ready()), "Ready I");
    }
    EXPECT_EQ(talk.server(closed() + parsed() + bound() + error("0A000") + ready()),
              "ERROR 0A000 [no], Ready I");
    EXPECT_TRUE(talk.session().is_idle());
    EXPECT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'I'));
  }
}

TEST_F(StandinSessionTest, InAFailedBlockTheServerSpeaksForItself) {
  StandinTalk talk(cluster_);
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  talk.client(query("nonsense"));
  EXPECT_EQ(talk.server(error("42601", "syntax") + ready('E')), "ERROR 42601 [syntax], Ready E");
  talk.now += 1h;  // nobody speaks of its age any more
  EXPECT_EQ(talk.client(query("SELECT 1")), "Query [SELECT 1]");
  EXPECT_EQ(talk.server(error("25P02", "aborted") + ready('E')), "ERROR 25P02 [aborted], Ready E");
  EXPECT_EQ(talk.client(query("COMMIT")), "Query [COMMIT]");
  EXPECT_EQ(talk.server(complete("ROLLBACK") + ready()), "[ROLLBACK], Ready I");
  // The answer to our own Parse is an error then: it is the client's.
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  talk.client(query("nonsense"));
  talk.server(error("42601", "syntax") + ready('E'));
  talk.client(parse("", "LISTEN a") + run("") + sync());
  EXPECT_EQ(talk.server(closed() + error("25P02", "aborted") + ready('E')),
            "ERROR 25P02 [aborted], Ready E");
}

TEST_F(StandinSessionTest, ConflictsOfPostgreSqlAreThoseOfDsql) {
  StandinTalk talk(cluster_);
  for (const char* const state : {"40001", "40P01", "55P03"}) {
    talk.client(query("UPDATE t SET a = 1"));
    EXPECT_EQ(talk.server(error(state, "whatever") + ready()),
              "ERROR 40001 [change conflicts with another transaction (OC000)], Ready I");
  }
  talk.client(query("DROP TABLE t"));
  EXPECT_EQ(talk.server(error("55P03", "whatever") + ready()),
            "ERROR 40001 [schema has been updated by another transaction (OC001)], Ready I");
  talk.client(parse("s", "SELECT * FROM t") + run("s") + sync());
  EXPECT_EQ(talk.server(error("0A000", "cached plan must not change result type") + ready()),
            "ERROR 40001 [schema has been updated by another transaction (OC001)], Ready I");
  talk.client(query("SELECT 1/0"));
  EXPECT_EQ(talk.server(error("22012", "division by zero") + ready()),
            "ERROR 22012 [division by zero], Ready I");
}

TEST_F(StandinSessionTest, OneDdlInATransactionAndNoDmlBesideIt) {
  StandinTalk talk(cluster_);
  const std::string twice =
      "Query [" + fails("0A000", "multiple ddl statements not supported in a transaction") + "]";
  const std::string mixed =
      "Query [" + fails("0A000", "ddl and dml are not supported in the same transaction") + "]";
  EXPECT_EQ(talk.client(query("DROP TABLE a; DROP TABLE b")), twice);
  talk.server(error("0A000") + ready());
  EXPECT_EQ(talk.client(query("DROP TABLE a; INSERT INTO b DEFAULT VALUES")), mixed);
  talk.server(error("0A000") + ready());

  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(talk.runs("INSERT INTO t VALUES (1)", "INSERT 0 1", 'T'));
  EXPECT_EQ(talk.client(query("DROP TABLE t")), mixed);
  talk.server(error("0A000") + ready('E'));
  ASSERT_TRUE(talk.runs("ROLLBACK", "ROLLBACK", 'I'));

  // Each statement of its own is a transaction of its own, also in one pipeline.
  ASSERT_TRUE(talk.runs("DROP TABLE a", "DROP TABLE", 'I'));
  ASSERT_TRUE(talk.runs("DROP TABLE b", "DROP TABLE", 'I'));
  EXPECT_EQ(talk.client(parse("c", "DROP TABLE c") + run("c") + sync() +
                        parse("d", "DROP TABLE d") + run("d") + sync()),
            "Parse c [DROP TABLE c], Bind  of c, Execute, Sync, "
            "Parse d [DROP TABLE d], Bind  of d, Execute, Sync");
}

TEST_F(StandinSessionTest, ATransactionThatIsTooOldFailsAtTheNextStatement) {
  StandinTalk talk(cluster_);
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  talk.now += 300s;
  ASSERT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'T'));
  talk.now += 1s;
  EXPECT_EQ(talk.client(query("SELECT 1")),
            "Query [" +
                fails("54000", "transaction age limit of 300s exceeded",
                      ", DETAIL = 'Current transaction age 301s exceeds 300s'") +
                "]");
}

TEST_F(StandinSessionTest, ACommitThatMustFailRollsBackAndLeavesTheSessionIdle) {
  StandinTalk talk(cluster_);
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'T'));
  talk.now += 301s;
  const std::string failure = fails("54000", "transaction age limit of 300s exceeded",
                                    ", DETAIL = 'Current transaction age 301s exceeds 300s'");
  EXPECT_EQ(talk.client(query("COMMIT")), "Query [ROLLBACK], Query [" + failure + "]");
  EXPECT_EQ(talk.server(complete("ROLLBACK") + ready() + error("54000", "old") + ready()),
            "ERROR 54000 [old], Ready I");
  EXPECT_TRUE(talk.session().is_idle());
  ASSERT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'I'));
}

TEST_F(StandinSessionTest, ACommitInTheExtendedProtocolFailsTheSameWay) {
  StandinTalk talk(cluster_);
  ASSERT_FALSE(cluster_.chaos.apply("conflicts 1", Instant()).has_value());
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(talk.runs("UPDATE t SET a = 1", "UPDATE 1", 'T'));
  const std::string ours =
      "Close S standin_refusal, Parse standin_refusal [{}], "
      "Bind standin_refusal of standin_refusal, Execute, Close P standin_refusal";
  const auto with = [&ours](const std::string& sql) {
    std::string text = ours;
    return text.replace(text.find("{}"), 2, sql);
  };
  EXPECT_EQ(
      talk.client(parse("c", "COMMIT") + run("c") + sync()),
      "Parse c [COMMIT], Bind  of c, " + with("ROLLBACK") + ", " + with(kDataConflict) + ", Sync");
  EXPECT_EQ(talk.server(parsed() + bound() + closed() + parsed() + bound() + complete("ROLLBACK") +
                        closed() + closed() + parsed() + bound() + error("40001") + ready()),
            "ParseComplete, BindComplete, ERROR 40001 [change conflicts with another transaction "
            "(OC000)], Ready I");
  EXPECT_TRUE(talk.session().is_idle());
}

TEST_F(StandinSessionTest, ConflictsAtARateMeetWritersOnly) {
  StandinTalk talk(cluster_);
  ASSERT_FALSE(cluster_.chaos.apply("conflicts 1", Instant()).has_value());
  ASSERT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'I'));
  ASSERT_TRUE(talk.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'T'));
  ASSERT_TRUE(talk.runs("COMMIT", "COMMIT", 'I'));
  EXPECT_EQ(talk.client(query("UPDATE t SET a = 1")), "Query [" + kDataConflict + "]");
}

TEST_F(StandinSessionTest, OthersHearOfACommittedChangeOfTheSchemaOnce) {
  StandinTalk one(cluster_), other(cluster_), idle(cluster_);
  ASSERT_TRUE(one.runs("DROP TABLE t", "DROP TABLE", 'I'));
  ASSERT_TRUE(one.runs("SELECT 1", "SELECT 1", 'I'));  // its own
  EXPECT_EQ(other.client(query("SELECT 1")), "Query [" + kSchemaConflict + "]");
  other.server(error("40001") + ready());
  ASSERT_TRUE(other.runs("SELECT 1", "SELECT 1", 'I'));
  StandinTalk later(cluster_);
  ASSERT_TRUE(later.runs("SELECT 1", "SELECT 1", 'I'));
  ASSERT_TRUE(idle.runs("BEGIN", "BEGIN", 'T'));  // touches nothing
  EXPECT_EQ(idle.client(query("SELECT 1")), "Query [" + kSchemaConflict + "]");
}

TEST_F(StandinSessionTest, AChangeOfTheSchemaInTheMiddleIsHeardAtCommit) {
  StandinTalk one(cluster_), other(cluster_);
  ASSERT_TRUE(other.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(other.runs("SELECT 1", "SELECT 1", 'T'));
  ASSERT_TRUE(one.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(one.runs("DROP TABLE t", "DROP TABLE", 'T'));
  ASSERT_TRUE(other.runs("SELECT 1", "SELECT 1", 'T'));  // not committed yet
  ASSERT_TRUE(one.runs("COMMIT", "COMMIT", 'I'));
  EXPECT_EQ(other.client(query("COMMIT")), "Query [ROLLBACK], Query [" + kSchemaConflict + "]");
}

TEST_F(StandinSessionTest, AChangeThatWasRolledBackNobodyHearsOf) {
  StandinTalk one(cluster_), other(cluster_);
  ASSERT_TRUE(one.runs("BEGIN", "BEGIN", 'T'));
  ASSERT_TRUE(one.runs("DROP TABLE t", "DROP TABLE", 'T'));
  ASSERT_TRUE(one.runs("ROLLBACK", "ROLLBACK", 'I'));
  one.client(query("DROP TABLE t"));
  one.server(error("42P01", "there is none") + ready());
  ASSERT_TRUE(other.runs("SELECT 1", "SELECT 1", 'I'));
  cluster_.world.has_schema_conflicts = false;
  ASSERT_TRUE(one.runs("DROP TABLE t", "DROP TABLE", 'I'));
  ASSERT_TRUE(other.runs("SELECT 1", "SELECT 1", 'I'));
}

// A guard's question, the statement, and the row of its job: the client sees one statement.
TEST_F(StandinSessionTest, WhatOnlyDsqlHasIsDoneInOtherWords) {
  StandinTalk talk(cluster_);
  const std::string sent = talk.client(query("CREATE INDEX ASYNC i ON t (a)"));
  EXPECT_TRUE(sent.starts_with("Query [DO $standin_refusal$ BEGIN IF EXISTS (")) << sent;
  EXPECT_NE(sent.find("sys.note_job("), std::string::npos) << sent;
  std::string answer;
  for (std::size_t at = sent.find("DO $"); at != std::string::npos; at = sent.find("DO $", at + 1))
    answer += complete("DO");
  const std::vector<wire::Column> columns{{.name = "job_id", .type = 25}};
  answer += complete("CREATE INDEX");
  wire::write_row_description(answer, columns);
  const std::vector<wire::Value> values{"abc"};
  wire::write_data_row(answer, values);
  EXPECT_EQ(talk.server(answer + complete("SELECT 1") + ready()),
            "RowDescription, row abc, [CREATE INDEX], Ready I");

  const std::string grant = talk.client(query("AWS IAM GRANT app TO 'arn:aws:iam::1:role/x'"));
  EXPECT_TRUE(grant.starts_with("Query [SELECT sys.iam_grant(")) << grant;
  std::string row;
  wire::write_row_description(row, columns);
  wire::write_data_row(row, values);
  EXPECT_EQ(talk.server(row + complete("SELECT 1") + ready()), "[AWS IAM GRANT], Ready I");
  EXPECT_TRUE(talk.runs("SELECT 1", "SELECT 1", 'I'));
}

TEST_F(StandinSessionTest, InTheExtendedProtocolThatTakesMoreMessages) {
  StandinTalk talk(cluster_);
  const std::string sent =
      talk.client(parse("i", "CREATE INDEX ASYNC i ON t (a)") + run("i") + sync());
  EXPECT_TRUE(sent.starts_with("Parse i [SELECT ")) << sent;
  std::string ours = closed() + parsed() + bound() + complete("DO") + closed();
  std::string answer = parsed() + bound();
  int guards = 0;
  for (std::size_t at = sent.find("DO $"); at != std::string::npos; at = sent.find("DO $", at + 1))
    ++guards;
  for (int i = 0; i < guards; ++i) answer += ours;
  answer += closed() + parsed() + bound() + complete("CREATE INDEX") + closed();
  const std::vector<wire::Value> values{"abc"};
  wire::write_data_row(answer, values);
  EXPECT_EQ(talk.server(answer + complete("SELECT 1") + ready()),
            "ParseComplete, BindComplete, row abc, [CREATE INDEX], Ready I");
}

TEST_F(StandinSessionTest, NoticesToUsAreTakenAndOthersPassedOn) {
  StandinTalk talk(cluster_);
  talk.client(query("SELECT standin.conflicts(0.5)"));
  std::string notices;
  wire::write_notice(notices, {wire::Severity::notice, std::string(kCommand), "conflicts 0.5"});
  wire::write_notice(notices, {wire::Severity::notice, "00000", "by the way"});
  EXPECT_EQ(talk.server(notices + complete("SELECT 1") + ready()),
            "NoticeResponse, [SELECT 1], Ready I");
  EXPECT_EQ(cluster_.commands, std::vector<std::string>{"conflicts 0.5"});
}

TEST_F(StandinSessionTest, AMessageThatIsTooLongEndsTheSessionWithoutAWord) {
  StandinTalk talk(cluster_);
  std::string header = "d";
  header.resize(5);
  wire::write_uint32(header.data() + 1, kLongestMessage + 5);
  EXPECT_EQ(talk.client(header), "hangs up");
}

TEST_F(StandinSessionTest, TextsInRefusalsCannotEndTheirStatement) {
  Refusal refusal;
  refusal.sqlstate = "0A000";
  refusal.message = "it's $standin_refusal$ here";
  refusal.detail = "a 'detail'";
  refusal.hint = "a hint";
  EXPECT_EQ(failing_statement(refusal),
            "DO $standin_refusal_$ BEGIN RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = "
            "'it''s $standin_refusal$ here', DETAIL = 'a ''detail''', HINT = 'a hint'; END "
            "$standin_refusal_$");
}

}  // namespace
}  // namespace forebay::standin
