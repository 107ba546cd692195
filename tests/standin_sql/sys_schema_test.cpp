// What the judgements hand to the PostgreSQL behind the stand-in, run on a real one.
#include "forebay/standin/statements/sys_schema.hpp"

#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/standin/statements/statement_rules.hpp"
#include "standin/accepted_statements.hpp"

namespace forebay::standin {
namespace {

using embedded::PostgresServer;
using Row = std::map<std::string, std::string>;

// A session as the stand-in would have it: guards are asked, statements are run, jobs are noted. An
// answer is its first row, or a row with the code and the text of an error.
class Behind {
 public:
  explicit Behind(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
    PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
  }

  Row run(const std::string& sql) {
    const std::unique_ptr<PGresult, Clear> result(PQexec(connection_.get(), sql.c_str()));
    Row row;
    if (const char* code = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE)) {
      row["code"] = code;
      row["text"] = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
    } else if (PQntuples(result.get()) > 0) {
      for (int i = 0; i < PQnfields(result.get()); ++i)
        row[PQfname(result.get(), i)] = PQgetvalue(result.get(), 0, i);
    }
    return row;
  }

  Row judge_and_run(const std::string& sql) {
    static const StatementRules kRules{RuleBook()};
    const StatementJudgement statement = kRules.judge(sql).statements.front();
    EXPECT_FALSE(statement.refusal.has_value()) << sql;
    for (const Guard& guard : statement.guards) {
      const Row answer = run(guard.sql);
      EXPECT_FALSE(answer.contains("code")) << guard.sql << ": " << answer.at("text");
      if (!answer.empty())
        return {{"code", guard.refusal.sqlstate}, {"text", guard.refusal.message}};
    }
    const Row answer = run(statement.sql);
    return answer.contains("code") || statement.job_sql.empty() ? answer : run(statement.job_sql);
  }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

Row error(const std::string& code, const std::string& text) {
  return {{"code", code}, {"text", text}};
}

class SysSchemaTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<std::unique_ptr<PostgresServer>> server = PostgresServer::launch();
    ASSERT_TRUE(server.has_value()) << server.error().text();
    server_ = std::move(*server);
    Behind superuser(server_->superuser_url());
    const std::string schema(standin_schema().front().text);
    EXPECT_EQ(superuser.run(schema), Row{});
    EXPECT_EQ(superuser.run(schema), Row{}) << "the second time";
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    EXPECT_EQ(admin_.run("DROP TABLE IF EXISTS t CASCADE"), Row{});
    EXPECT_EQ(admin_.run("CREATE TABLE t (id int PRIMARY KEY, a int, j jsonb)"), Row{});
  }

  static std::unique_ptr<PostgresServer> server_;
  Behind admin_{server_->url("admin", "postgres")};
};

std::unique_ptr<PostgresServer> SysSchemaTest::server_;

TEST_F(SysSchemaTest, AnAsynchronousIndexAnswersWithAJob) {
  const Row answer = admin_.judge_and_run("CREATE INDEX ASYNC i ON t (a)");
  ASSERT_EQ(answer.size(), 1u) << ::testing::PrintToString(answer);
  const std::string job = answer.at("job_id");
  EXPECT_TRUE(std::regex_match(job, std::regex("[a-z2-7]{26}"))) << job;

  const Row row = admin_.run("SELECT * FROM sys.jobs WHERE job_id = '" + job + "'");
  EXPECT_EQ(row.size(), 9u);
  EXPECT_EQ(row.at("status"), "completed");
  EXPECT_EQ(row.at("job_type"), "INDEX_BUILD");
  EXPECT_EQ(row.at("class_id"), "1259");
  EXPECT_EQ(row.at("object_name"), "public.i");
  EXPECT_EQ(row.at("object_id"), admin_.run("SELECT 'i'::regclass::oid AS id").at("id"));
  EXPECT_EQ(admin_.judge_and_run("CALL sys.wait_for_job('" + job + "')"), Row{});

  const std::string other = admin_.judge_and_run("CREATE INDEX ASYNC ON t (a)").at("job_id");
  EXPECT_NE(other, job);
  EXPECT_EQ(admin_.run("SELECT object_name FROM sys.jobs WHERE job_id = '" + other + "'"),
            (Row{{"object_name", "public.t_a_idx"}}));
}

TEST_F(SysSchemaTest, AnIndexThatIsThereAnswersWithAJobToo) {
  const std::string sql = "CREATE INDEX ASYNC IF NOT EXISTS \"I 2\" ON t (a)";
  admin_.judge_and_run(sql);
  admin_.run("CREATE INDEX later ON t (a)");

  const std::string job = admin_.judge_and_run(sql).at("job_id");

  EXPECT_EQ(admin_.run("SELECT object_name FROM sys.jobs WHERE job_id = '" + job + "'"),
            (Row{{"object_name", "public.I 2"}}));
}

TEST_F(SysSchemaTest, AJobGoesWithItsTransaction) {
  admin_.run("BEGIN");
  const std::string job = admin_.judge_and_run("CREATE INDEX ASYNC i ON t (a)").at("job_id");
  admin_.run("ROLLBACK");

  EXPECT_EQ(admin_.run("SELECT 1 FROM sys.jobs WHERE job_id = '" + job + "'"), Row{});
}

TEST_F(SysSchemaTest, ValidatingAConstraintAnswersWithAJob) {
  admin_.run("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID");
  const std::string job =
      admin_.judge_and_run("ALTER TABLE ASYNC t VALIDATE CONSTRAINT c").at("job_id");

  EXPECT_EQ(admin_.run("SELECT convalidated FROM pg_constraint WHERE conname = 'c'"),
            (Row{{"convalidated", "t"}}));
  EXPECT_EQ(admin_.run("SELECT object_name FROM sys.jobs WHERE job_id = '" + job + "'"),
            (Row{{"object_name", "public.t"}}));
}

TEST_F(SysSchemaTest, JobsAreWaitedForByAProcedure) {
  EXPECT_EQ(admin_.run("CALL sys.wait_for_job('77e6id3hjbasddybtihl43gega')"), Row{});
  for (const char* id : {"x", "77e6id3hjbasddybtihl43gegb", "77E6ID3HJBASDDYBTIHL43GEGA"})
    EXPECT_EQ(admin_.run(std::string("CALL sys.wait_for_job('") + id + "')"),
              error("22P02", "Unable to convert text to UUID"));
  EXPECT_EQ(admin_.run("SELECT sys.wait_for_job('x')").at("code"), "42809");
}

TEST_F(SysSchemaTest, IamGrantsAreShownAsMappings) {
  admin_.run("CREATE ROLE \"My app\" WITH LOGIN");
  const std::string grant = "AWS IAM GRANT \"My app\" TO 'arn:aws:iam::123456789012:role/app'";
  const std::string mapping = "SELECT * FROM sys.iam_pg_role_mappings";

  EXPECT_FALSE(admin_.judge_and_run(grant).contains("code"));
  EXPECT_FALSE(admin_.judge_and_run(grant).contains("code")) << "the second time";
  const Row row = admin_.run(mapping);
  EXPECT_EQ(row.size(), 6u);
  EXPECT_EQ(row.at("arn"), "arn:aws:iam::123456789012:role/app");
  EXPECT_EQ(row.at("pg_role_name"), "My app");
  EXPECT_EQ(row.at("grantor_pg_role_name"), "admin");
  EXPECT_FALSE(
      admin_.judge_and_run("AWS IAM REVOKE \"My app\" FROM 'arn:aws:iam::123456789012:role/app'")
          .contains("code"));
  EXPECT_EQ(admin_.run(mapping), Row{});

  EXPECT_EQ(admin_.judge_and_run("AWS IAM GRANT nobody TO 'x'"),
            error("42704", "role \"nobody\" does not exist"));
  Behind app(server_->url("My app", "postgres"));
  EXPECT_EQ(app.judge_and_run(grant).at("code"), "42501");
  EXPECT_EQ(app.run("SELECT count(*) FROM sys.iam_pg_role_mappings"), (Row{{"count", "0"}}));
  EXPECT_EQ(app.run("INSERT INTO sys.noted_jobs VALUES ('x', 'x')").at("code"), "42501");
}

TEST_F(SysSchemaTest, GuardsKnowKeysAndTheirTypes) {
  EXPECT_EQ(admin_.judge_and_run("ALTER TABLE t DROP COLUMN id"),
            error("0A000", "cannot drop primary key column id"));
  EXPECT_EQ(admin_.judge_and_run("ALTER TABLE public.t DROP COLUMN a"), Row{});
  EXPECT_EQ(admin_.judge_and_run("CREATE INDEX ASYNC i ON t (id, j)"),
            error("0A000", "datatype jsonb is not supported in a key"));
  EXPECT_EQ(admin_.judge_and_run("ALTER TABLE absent DROP COLUMN a").at("code"), "42P01");
}

TEST_F(SysSchemaTest, GuardsCountIndexesAndSchemas) {
  for (int i = 1; i < 24; ++i)
    EXPECT_TRUE(admin_.judge_and_run("CREATE INDEX ASYNC ON t (a)").contains("job_id")) << i;
  EXPECT_EQ(admin_.judge_and_run("CREATE INDEX ASYNC ON t (a)"),
            error("54000", "more than 24 indexes per table are not allowed"));

  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(admin_.judge_and_run("CREATE SCHEMA s" + std::to_string(i)), Row{}) << i;
  EXPECT_EQ(admin_.judge_and_run("CREATE SCHEMA more"),
            error("54000", "more than 10 schemas not allowed"));
  for (int i = 0; i < 10; ++i) admin_.run("DROP SCHEMA s" + std::to_string(i));
}

// With three in place of thousands: the numbers themselves stand in the guards' texts.
TEST_F(SysSchemaTest, GuardsCountTablesViewsAndSequences) {
  struct Kind {
    std::string create;
    std::string number;
  };
  for (const Kind& kind : std::vector<Kind>{{"CREATE TABLE n% (a int)", "1000"},
                                            {"CREATE VIEW n% AS SELECT 1 AS x", "5000"},
                                            {"CREATE SEQUENCE n% CACHE 1", "5000"}}) {
    const StatementRules rules{RuleBook()};
    const auto numbered = [&](int number) {
      std::string sql = kind.create;
      return sql.replace(sql.find('%'), 1, std::to_string(number));
    };
    std::string guard = rules.judge(numbered(0)).statements.front().guards.front().sql;
    const std::size_t place = guard.find(">= " + kind.number);
    ASSERT_NE(place, std::string::npos) << guard;
    guard.replace(place, 3 + kind.number.size(), ">= 3");

    admin_.run("CREATE SCHEMA counted");
    admin_.run("DROP TABLE t");
    admin_.run("SET search_path = counted");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(admin_.run(guard), Row{}) << numbered(i);
      EXPECT_EQ(admin_.run(numbered(i)), Row{});
    }
    EXPECT_NE(admin_.run(guard), Row{}) << kind.create;
    admin_.run("DROP SCHEMA counted CASCADE");
    admin_.run("RESET search_path");
  }
}

// It may refuse them for other reasons: what they name is not there.
TEST_F(SysSchemaTest, PostgresCanReadWhatItIsHanded) {
  const StatementRules rules{RuleBook()};
  for (const test::AcceptedStatement& accepted : test::kAcceptedStatements) {
    if (accepted.sql.starts_with("COPY")) continue;
    const StatementJudgement statement = rules.judge(accepted.sql).statements.front();
    const Row answer = admin_.run(statement.sql);
    const std::string code = answer.contains("code") ? answer.at("code") : "";
    EXPECT_NE(code, "42601") << statement.sql << ": " << answer.at("text");
    EXPECT_TRUE(code.empty() || !accepted.sql.contains("disable_sync")) << statement.sql;
    admin_.run("ROLLBACK");
  }
}

}  // namespace
}  // namespace forebay::standin
