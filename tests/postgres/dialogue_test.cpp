// A statement and its answer past libpq, beside a server whose every byte the test writes. What a
// real one says is in dialogue_on_server_test.cpp.
#include "forebay/postgres/driver/dialogue.hpp"

#include <array>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::postgres {
namespace {

using wire::TransactionStatus;

constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kText = 25;

class Ends {
 public:
  Ends() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0); }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() {
    ::close(ends_[0]);
    hang_up();
  }

  int ours() const { return ends_[0]; }
  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(ends_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  std::string heard() const {
    std::string all;
    std::array<char, 4096> piece;
    for (ssize_t count = 0; (count = ::recv(ends_[1], piece.data(), piece.size(), 0)) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(count));
    return all;
  }
  void hang_up() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  bool is_blocking() const { return (::fcntl(ends_[0], F_GETFL) & O_NONBLOCK) == 0; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// What the server says, one message after the other.
class Answer {
 public:
  Answer& bound() {
    wire::write_empty(bytes_, wire::ServerMessage::bind_complete);
    return *this;
  }
  Answer& columns(const std::vector<wire::Column>& columns) {
    wire::write_row_description(bytes_, columns);
    return *this;
  }
  Answer& row(const std::vector<wire::Value>& values) {
    wire::write_data_row(bytes_, values);
    return *this;
  }
  Answer& no_columns() {
    wire::write_empty(bytes_, wire::ServerMessage::no_data);
    return *this;
  }
  Answer& done(std::string_view tag) {
    wire::write_command_complete(bytes_, tag);
    return *this;
  }
  Answer& error(std::string_view state, wire::Severity severity = wire::Severity::error) {
    wire::ErrorReport report(severity, std::string(state), "it went\nwrong", "try again");
    report.detail = "the first";
    wire::write_error(bytes_, report);
    return *this;
  }
  Answer& ready(TransactionStatus status = TransactionStatus::idle) {
    wire::write_ready_for_query(bytes_, status);
    return *this;
  }
  Answer& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  operator const std::string&() const { return bytes_; }

 private:
  std::string bytes_;
};

wire::Column column(std::string_view name, std::uint32_t type) {
  wire::Column column;
  column.name = name;
  column.type = type;
  return column;
}

std::string two_planets(TransactionStatus status = TransactionStatus::idle) {
  return Answer()
      .bound()
      .columns({column("id", kInt4), column("name", kText)})
      .row({"1", "Mercury"})
      .row({"2", std::nullopt})
      .done("SELECT 2")
      .ready(status);
}

void expect_two_planets(const Result<QueryResult>& answer) {
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->rows(), 2);
  ASSERT_EQ(answer->columns(), 2);
  EXPECT_EQ(answer->column_name(1), "name");
  EXPECT_EQ(answer->value(0, 0), "1");
  EXPECT_EQ(answer->value(0, 1), "Mercury");
  EXPECT_EQ(answer->value(1, 1), std::nullopt);
  EXPECT_EQ(answer->command_tag(), "SELECT 2");
  EXPECT_EQ(answer->affected_rows(), 2U);
}

class DialogueTest : public ::testing::Test {
 protected:
  void start(const Parameters& parameters = {}, bool is_in_transaction = false) {
    Dialogue::Prepared prepared("forebay_1", parameters);
    prepared.shape = dialogue_.shape();
    prepared.is_in_transaction = is_in_transaction;
    ASSERT_TRUE(dialogue_.start(prepared));
    ASSERT_EQ(dialogue_.advance(), Need::readable);
  }
  Result<QueryResult> answered(const std::string& bytes) {
    ends_.say(bytes);
    EXPECT_EQ(dialogue_.advance(), Need::nothing);
    EXPECT_FALSE(dialogue_.is_underway());
    return dialogue_.take();
  }
  Result<QueryResult> ask(const std::string& bytes, bool is_in_transaction = false) {
    start({}, is_in_transaction);
    return answered(bytes);
  }

  Ends ends_;
  Dialogue dialogue_{ends_.ours()};
};

TEST_F(DialogueTest, SendsTheStatementsNameAndItsParametersOnce) {
  start({"7", std::nullopt, std::string()});

  std::string expected;
  const std::array<wire::Value, 3> values{"7", std::nullopt, ""};
  wire::write_bind(expected, {.statement = "forebay_1", .parameters = values});
  wire::write_describe(expected, wire::Target::portal, "");
  wire::write_execute(expected, "");
  wire::write_sync(expected);
  EXPECT_EQ(ends_.heard(), expected);
}

TEST_F(DialogueTest, AnAnswerIsTheSameHoweverItsBytesWereSplit) {
  const std::string answer = two_planets();
  for (std::size_t at = 1; at < answer.size(); ++at) {
    start();
    ends_.say(answer.substr(0, at));
    ASSERT_EQ(dialogue_.advance(), Need::readable);

    expect_two_planets(answered(answer.substr(at)));
  }
}

TEST_F(DialogueTest, AnAnswerThatIsCutAnywhereIsALostConnection) {
  const std::string answer = two_planets();
  for (std::size_t at = 0; at < answer.size(); ++at) {
    Ends ends;
    Dialogue dialogue(ends.ours());
    const Parameters none;
    ASSERT_TRUE(dialogue.start(Dialogue::Prepared("forebay_1", none)));
    ends.say(answer.substr(0, at));
    ends.hang_up();

    // What was sent may come back as a reset, which is known after the bytes before it.
    for (int looks = 0; looks < 4 && dialogue.advance() != Need::nothing; ++looks) continue;

    ASSERT_FALSE(dialogue.is_underway()) << at;
    EXPECT_EQ(dialogue.take().error().code(), Errc::connection_lost) << at;
    EXPECT_FALSE(dialogue.is_lost_in_silence());
  }
}

TEST_F(DialogueTest, RowsOfOneStatementShareTheirShapeUntilItChanges) {
  expect_two_planets(ask(two_planets()));
  const std::shared_ptr<const AnswerShape> first = dialogue_.shape();
  expect_two_planets(ask(two_planets()));
  EXPECT_EQ(dialogue_.shape(), first);

  const auto renamed =
      ask(Answer().bound().columns({column("number", kInt4)}).row({"1"}).done("SELECT 1").ready());

  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->column_name(0), "number");
  EXPECT_NE(dialogue_.shape(), first);
}

TEST_F(DialogueTest, AnAnswerWithoutColumnsHasTheNumberOfRowsThatItChanged) {
  const auto answer = ask(Answer().bound().no_columns().done("INSERT 0 3").ready());

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows(), 0);
  EXPECT_EQ(answer->columns(), 0);
  EXPECT_EQ(answer->affected_rows(), 3U);
  EXPECT_FALSE(answer->is_copy());
}

TEST_F(DialogueTest, ARefusalIsTheServersWordsAndTheNextStatementIsServed) {
  const auto refused = ask(Answer().error("23505").ready());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::statement_failed);
  EXPECT_EQ(refused.error().sqlstate(), "23505");
  EXPECT_EQ(refused.error().text(), "it went wrong (detail: the first) (hint: try again)");
  EXPECT_EQ(refused.error().detail(), "the first");
  expect_two_planets(ask(two_planets()));
}

TEST_F(DialogueTest, ARefusalAmongTheRowsTakesThemAll) {
  const auto refused = ask(Answer()
                               .bound()
                               .columns({column("id", kInt4)})
                               .row({"1"})
                               .error("22012")
                               .ready(TransactionStatus::idle));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate(), "22012");
}

TEST_F(DialogueTest, ThatATransactionHasFailedIsKnown) {
  EXPECT_FALSE(ask(Answer().error("40001").ready(TransactionStatus::failed), true));
  EXPECT_TRUE(dialogue_.has_failed_transaction());

  expect_two_planets(ask(two_planets(TransactionStatus::in_transaction), true));
  EXPECT_FALSE(dialogue_.has_failed_transaction());
}

TEST_F(DialogueTest, LastWordsAreTheReasonAndNothingIsWaitedForBehindThem) {
  const auto refused = ask(Answer().error("57P01", wire::Severity::fatal));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::connection_lost);
  EXPECT_EQ(refused.error().sqlstate(), "57P01");
}

TEST_F(DialogueTest, AnAnswerIsOneWhateverTheServerSaysBehindIt) {
  const std::string last_words = Answer().error("57P01", wire::Severity::fatal);
  for (const std::size_t heard : {std::size_t{1}, last_words.size()}) {
    Ends ends;
    Dialogue dialogue(ends.ours());
    const Parameters none;
    ASSERT_TRUE(dialogue.start(Dialogue::Prepared("forebay_1", none)));
    ends.say(two_planets() + last_words.substr(0, heard));
    while (dialogue.advance() != Need::nothing) continue;

    expect_two_planets(dialogue.take());
    EXPECT_TRUE(dialogue.is_spent());
  }
}

TEST_F(DialogueTest, WhatIsSaidUnaskedIsPassedOver) {
  std::string said;
  wire::write_parameter_status(said, "TimeZone", "UTC");
  wire::write_notification(said, {.process = 7, .channel = "planets", .payload = "Vulcan"});
  wire::write_notice(said, wire::ErrorReport(wire::Severity::warning, "01000", "take care"));

  expect_two_planets(ask(said + two_planets()));
  EXPECT_FALSE(dialogue_.is_spent());
}

// As poolers say it, which leave out the severity that is not translated.
TEST_F(DialogueTest, LastWordsWithoutTheirPlainSeverityAreLastWordsToo) {
  const std::string words("SFATAL\0C08P01\0Mquery_timeout\0", 29);
  std::string message;
  wire::MessageWriter(message, wire::ServerMessage::error_response).bytes(words).byte('\0');

  const auto lost = ask(message);

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "08P01");
}

TEST_F(DialogueTest, LastWordsBehindARefusalEndTheConnectionForTheFirstReason) {
  const auto lost = ask(Answer().error("57014").error("57P01", wire::Severity::fatal));

  EXPECT_FALSE(dialogue_.has_met_cancel());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "57014");
}

TEST_F(DialogueTest, AServerThatRefusesAndGoesIsLostForTheReasonThatItGave) {
  start();
  ends_.say(Answer().error("57014"));
  ASSERT_EQ(dialogue_.advance(), Need::readable);
  ends_.hang_up();

  ASSERT_EQ(dialogue_.advance(), Need::nothing);

  EXPECT_FALSE(dialogue_.has_met_cancel());
  const auto lost = dialogue_.take();
  EXPECT_EQ(lost.error().code(), Errc::connection_lost);
  EXPECT_EQ(lost.error().sqlstate(), "57014");
}

TEST_F(DialogueTest, WhatMakesNoSenseIsALostConnection) {
  const std::vector<std::string> answers{
      Answer().bound().row({"1"}),  // of no columns
      Answer().bound().columns({column("id", kInt4)}).row({"1", "2"}),
      Answer().bound().no_columns().done("SELECT 0").ready(TransactionStatus::in_transaction),
      Answer().ready(),  // of nothing
      Answer().bound().columns({column("id", kInt4)}).row({"1"}).ready(),
      Answer().raw(std::string_view("Z\0\0\0\5X", 6)),
      Answer().raw(std::string_view("G\0\0\0\7\0\0\0", 8)),  // a COPY
      Answer().raw(std::string_view("\1\2\3\4\5\6\7\10", 8)),
      Answer().raw(std::string_view("D\xff\xff\xff\xff", 5)),
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Ends ends;
    Dialogue dialogue(ends.ours());
    const Parameters none;
    ASSERT_TRUE(dialogue.start(Dialogue::Prepared("forebay_1", none)));
    ASSERT_EQ(dialogue.advance(), Need::readable);
    ends.say(answers[i]);
    ends.hang_up();
    // What is long by its header is waited for, up to the end.
    for (int looks = 0; looks < 4 && dialogue.advance() != Need::nothing; ++looks) continue;
    const Result<QueryResult> lost = dialogue.take();
    ASSERT_FALSE(lost) << i;
    EXPECT_EQ(lost.error().code(), Errc::connection_lost) << i;
  }
}

RC_GTEST_PROP(DialogueProperty, WhateverTheServerSaysEndsOrIsWaitedFor, ()) {
  const std::string types = "12CDEINSTZnAG";
  std::string said;
  for (const auto& [type, body] : *rc::gen::container<std::vector<std::pair<char, std::string>>>(
           rc::gen::pair(rc::gen::elementOf(types), rc::gen::string<std::string>()))) {
    said += type;
    const auto length = static_cast<std::uint32_t>(body.size() + 4);
    for (const int shift : {24, 16, 8, 0}) said += static_cast<char>(length >> shift);
    said += body;
  }
  Ends ends;
  Dialogue dialogue(ends.ours());
  const Parameters none;
  RC_ASSERT(dialogue.start(Dialogue::Prepared("forebay_1", none)).has_value());
  ends.say(said);
  ends.hang_up();
  for (int looks = 0; looks < 8 && dialogue.advance() != Need::nothing; ++looks) continue;

  RC_ASSERT(!dialogue.is_underway());
  const Result<QueryResult> answer = dialogue.take();
  RC_ASSERT(answer || !answer.error().text().empty());
}

TEST_F(DialogueTest, AnAnswerThatIsNotWantedIsHeardToItsEnd) {
  start();
  dialogue_.drop_answer();
  ends_.say(Answer().bound().columns({column("id", kInt4)}).row({"1"}));
  ASSERT_EQ(dialogue_.advance(), Need::readable);
  EXPECT_FALSE(dialogue_.has_met_cancel());

  ends_.say(Answer().error("57014").ready());
  ASSERT_EQ(dialogue_.advance(), Need::nothing);

  EXPECT_TRUE(dialogue_.has_met_cancel());
}

TEST_F(DialogueTest, AZeroByteIsRefusedAndNothingIsSent) {
  const Parameters parameters{std::string("a\0b", 3)};
  const auto refused = dialogue_.start(Dialogue::Prepared("forebay_1", parameters));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid);
  EXPECT_EQ(ends_.heard(), "");
  EXPECT_FALSE(dialogue_.is_underway());
}

TEST_F(DialogueTest, WhatTheSocketDoesNotTakeAtOnceIsSentWhileItReads) {
  const int small = 4096;
  ASSERT_EQ(::setsockopt(ends_.ours(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  const Parameters parameters{std::string(Dialogue::kMostParameterBytes, 'x')};
  ASSERT_TRUE(Dialogue::can_carry(parameters));
  ASSERT_TRUE(dialogue_.start(Dialogue::Prepared("forebay_1", parameters)));

  std::string heard;
  while (dialogue_.advance() == Need::either) heard += ends_.heard();
  heard += ends_.heard();

  EXPECT_GT(heard.size(), Dialogue::kMostParameterBytes);
  EXPECT_TRUE(heard.ends_with(std::string_view("S\0\0\0\4", 5)));
  expect_two_planets(answered(two_planets()));
  EXPECT_FALSE(Dialogue::can_carry({std::string(Dialogue::kMostParameterBytes + 1, 'x')}));
}

TEST_F(DialogueTest, AThreadWaitsInItsReadUntilLibpqHasTheWord) {
  start();
  ends_.say(two_planets());

  dialogue_.read_blocking();

  EXPECT_EQ(dialogue_.advance(), Need::nothing);
  expect_two_planets(dialogue_.take());
  EXPECT_TRUE(ends_.is_blocking());
  dialogue_.rest();
  EXPECT_FALSE(ends_.is_blocking());
}

TEST_F(DialogueTest, AThreadsReadEndsWithoutAnAnswer) {
  start();

  dialogue_.read_blocking();  // a slice

  EXPECT_TRUE(dialogue_.is_underway());
  EXPECT_EQ(dialogue_.advance(), Need::readable);  // does not wait, whatever the socket would do
  expect_two_planets(answered(two_planets()));
}

TEST_F(DialogueTest, AThreadReadsWhatIsLongerThanOneRead) {
  const std::string long_value(20'000, 'y');
  const std::string answer = Answer()
                                 .bound()
                                 .columns({column("text", kText)})
                                 .row({long_value})
                                 .row({"short"})
                                 .done("SELECT 2")
                                 .ready();
  start();
  ends_.say(answer);

  while (dialogue_.is_underway()) {
    dialogue_.read_blocking();
    dialogue_.advance();
  }

  const auto rows = dialogue_.take();
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->value(0, 0), long_value);
  EXPECT_EQ(rows->value(1, 0), "short");
}

RC_GTEST_PROP(StoredAnswerProperty, HoldsWhatTheRowsWere, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(0, 5);
  const auto height = *rc::gen::inRange<std::size_t>(0, 40);
  std::vector<wire::Column> columns;
  const std::vector<std::string> names{"a", "b", "c", "d"};
  for (std::size_t i = 0; i < width; ++i) columns.push_back(column(names[i], kText));
  std::string description;
  wire::write_row_description(description, columns);
  StoredAnswer answer;
  answer.set_shape(*AnswerShape::read(std::string_view(description).substr(5)));
  std::vector<std::vector<std::optional<std::string>>> model(height);

  for (auto& row : model) {
    for (std::size_t i = 0; i < width; ++i) {
      const auto repeats = *rc::gen::inRange(1, 5000);
      const auto text = *rc::gen::string<std::string>();
      std::string value;
      for (int times = 0; times < repeats && value.size() < 200'000; ++times) value += text;
      row.push_back(*rc::gen::arbitrary<bool>() ? std::optional(value) : std::nullopt);
    }
    const std::vector<wire::Value> values(row.begin(), row.end());
    std::string message;
    wire::write_data_row(message, values);
    answer.add_row(*wire::parse_data_row(std::string_view(message).substr(5)));
  }

  RC_ASSERT(answer.rows() == static_cast<int>(height));
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      RC_ASSERT(answer.cell(static_cast<int>(row), static_cast<int>(i)) == model[row][i]);
    }
  }
}

}  // namespace
}  // namespace forebay::postgres
