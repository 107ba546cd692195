// Pipelines by chance, with mistakes and COPY in them, on a real PostgreSQL: we know at each moment
// whether it owes us something.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/wire/protocol/pending_answers.hpp"
#include "wire_real/postgres_fixture.hpp"

namespace forebay::wire {
namespace {

// Adds messages of one kind to a pipeline.
void write_step(std::string& out, int kind) {
  const auto extended = [&out](std::string_view sql) {
    write_parse(out, "", sql);
    write_bind(out, {});
    write_describe(out, Target::portal, "");
    write_execute(out, "", 2);
  };
  switch (kind) {
    case 0: write_query(out, "SELECT 1; SELECT generate_series(1, 3)"); break;
    case 1: write_query(out, "SELECT 1; SELECT nothing"); break;
    case 2: write_query(out, ""); break;
    case 3: extended("SELECT generate_series(1, 3)"); break;
    case 4: extended("SELECT nothing"); break;
    case 5: extended(""); break;
    case 6: write_sync(out); break;
    case 7: write_flush(out); break;
    case 8: write_close(out, Target::statement, "unknown"); break;
    case 9: write_describe(out, Target::statement, "unknown"); break;
    case 10: write_query(out, "COPY (SELECT generate_series(1, 3)) TO STDOUT"); break;
    case 11:
      write_query(out, "COPY copied FROM STDIN; SELECT 1");
      write_copy_data(out, "1\n");
      write_copy_done(out);
      break;
    case 12:
      write_query(out, "COPY copied FROM STDIN");
      write_copy_fail(out, "no");
      break;
    case 13:  // as libpq does it
      extended("COPY copied FROM STDIN");
      write_sync(out);
      write_copy_data(out, "1\n");
      write_copy_done(out);
      break;
    case 14:
      extended("COPY copied FROM STDIN");
      write_copy_data(out, "no number\n");
      write_copy_done(out);
      break;
    default: write_query(out, "DO $$ BEGIN RAISE NOTICE 'hear'; END $$");
  }
}

std::vector<WireMessage> messages_in(const std::string& stream) {
  FrameReader reader(FrameOptions{.sender = Sender::client});
  reader.expect_messages();
  return test::read_messages(reader, stream, {}).all;
}

class RealPipelineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<RealServer>(PostgresServerOptions{});
    server_->ask("CREATE ROLE app LOGIN");
    server_->ask("CREATE TABLE copied (id int)");
    server_->ask("GRANT ALL ON copied TO app");
  }
  static void TearDownTestSuite() { server_.reset(); }

  static inline std::unique_ptr<RealServer> server_;
};

TEST_F(RealPipelineTest, NothingIsOwedWhenWeSaySo) {
  EXPECT_TRUE(rc::check([] {
    std::string out;
    for (const int kind : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16)))
      write_step(out, kind);
    write_sync(out);
    PendingAnswers pending;
    for (const WireMessage& message : messages_in(out)) pending.sent(message.type);
    Session session(server_->server->port());
    session.start(as_user("app"));
    session.send(out);
    while (!pending.is_idle()) {
      const WireMessage message = session.next();
      RC_ASSERT(message.type != 0);
      RC_ASSERT(pending.received(message.type, message.body));
    }
    // Whatever the server still had to say would come before this.
    RC_ASSERT(types(session.query("SELECT 1")) == "TDCZ");
  }));
}

}  // namespace
}  // namespace forebay::wire
