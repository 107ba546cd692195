// Errors and notices: what servers say, and ours in their format.
#include "forebay/wire/protocol/error_fields.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace forebay::wire {
namespace {

ErrorFields fields_of(const std::string& message) {
  const Result<ErrorFields> fields = parse_error_fields(std::string_view(message).substr(5));
  return fields ? *fields : ErrorFields();
}

TEST(ErrorFieldsTest, AnErrorOfOursIsOneOfPostgres) {
  std::string out;
  ErrorReport report(Severity::fatal, "53300", "no connection is left", "Wait a moment.");
  report.detail = "90 of 90 are in use.";
  write_error(out, report);
  EXPECT_EQ(out[0], 'E');
  const ErrorFields fields = fields_of(out);
  EXPECT_EQ(fields.severity(), "FATAL");
  EXPECT_EQ(fields.find('S'), "FATAL");
  EXPECT_EQ(fields.sqlstate(), "53300");
  EXPECT_EQ(fields.message(), "no connection is left");
  EXPECT_EQ(fields.detail(), "90 of 90 are in use.");
  EXPECT_EQ(fields.hint(), "Wait a moment.");
  EXPECT_TRUE(fields.ends_session());
  EXPECT_FALSE(fields.find('X'));
}

TEST(ErrorFieldsTest, ANoticeHasNoHintUnlessGiven) {
  std::string out;
  write_notice(out, {Severity::notice, "00000", "waiting"});
  EXPECT_EQ(out[0], 'N');
  EXPECT_FALSE(fields_of(out).find('H'));
  EXPECT_FALSE(fields_of(out).ends_session());
  EXPECT_EQ(fields_of(out).all().size(), 4u);
}

RC_GTEST_PROP(ErrorFieldsProperty, AnErrorAlwaysArrives,
              (const std::string& state, const std::string& message, const std::string& hint)) {
  std::string out;
  write_error(out, {Severity::error, state, message, hint});
  const Result<ErrorFields> fields = parse_error_fields(std::string_view(out).substr(5));
  RC_ASSERT(fields.has_value());
  RC_ASSERT(fields->sqlstate().size() == 5u);
  std::string expected = message;
  for (char& letter : expected)
    if (letter == '\0') letter = '?';
  RC_ASSERT(fields->message() == expected);
}

TEST(ErrorFieldsTest, OldServersHaveOneSeverity) {
  const std::string body("SFEHLER\0C42601\0Mtext\0\0", 22);
  const Result<ErrorFields> fields = parse_error_fields(body);
  ASSERT_TRUE(fields) << fields.error().text();
  EXPECT_EQ(fields->severity(), "FEHLER");
  EXPECT_FALSE(parse_error_fields({"SERROR\0", 7}));
  EXPECT_FALSE(parse_error_fields({"SERROR\0\0x", 9}));
  EXPECT_FALSE(parse_error_fields("SERROR"));
}

TEST(ErrorFieldsTest, EachCodeOfOursHasItsState) {
  const auto state = [](Errc code) { return report_of(Error(code, "x")).sqlstate; };
  EXPECT_EQ(state(Errc::timed_out), "57014");
  EXPECT_EQ(state(Errc::cancelled), "57014");
  EXPECT_EQ(state(Errc::closed), "57P01");
  EXPECT_EQ(state(Errc::connect_failed), "08001");
  EXPECT_EQ(state(Errc::refused), "28000");
  EXPECT_EQ(state(Errc::token_expired), "28P01");
  EXPECT_EQ(state(Errc::limit_reached), "53300");
  EXPECT_EQ(state(Errc::connection_lost), "08006");
  EXPECT_EQ(state(Errc::unknown_outcome), "08007");
  EXPECT_EQ(state(Errc::invalid), "22023");
  const Error server(Errc::statement_failed, ErrorClass::retryable, "conflict", "40001");
  EXPECT_EQ(report_of(server).sqlstate, "40001");
  EXPECT_EQ(report_of(server, Severity::fatal).severity, Severity::fatal);
  EXPECT_EQ(function_call_refusal().sqlstate, "0A000");
  EXPECT_FALSE(function_call_refusal().hint.empty());
}

}  // namespace
}  // namespace forebay::wire
