// What other tests take for PostgreSQL's own texts of times and UUIDs is that.
#include "support/known_texts.hpp"

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

class KnownTextsTest : public SessionTest {
 protected:
  KnownTextsTest() { run("SET TimeZone = 'UTC'"); }

  // The server's text of it, or "error: ..." with what the server says.
  std::string cast(const char* text, const std::string& type) {
    const Parameters values{text};
    return first_value(client_.exec(*connection_, "SELECT $1::text::" + type, values));
  }
  // Since 1970, of its day and of its time of day: for the last years of all, extract(epoch) itself
  // is not exact.
  std::string microseconds(const char* text) {
    const Parameters values{text};
    return first_value(client_.exec(
        *connection_,
        "SELECT (t::date - DATE '1970-01-01')::int8 * 86400000000 "
        "+ (extract(epoch FROM t::time) * 1000000)::int8 FROM (SELECT $1::text::timestamptz t) v",
        values));
  }
};

TEST_F(KnownTextsTest, TimesAreThoseOfTheServer) {
  for (const test::KnownTime& known : test::kPrintedTimes) {
    EXPECT_EQ(cast(known.text, "timestamptz"), known.text);
    EXPECT_EQ(microseconds(known.text), std::to_string(known.microseconds)) << known.text;
  }
  for (const test::KnownTime& known : test::kReadTimes) {
    EXPECT_EQ(microseconds(known.text), std::to_string(known.microseconds)) << known.text;
  }
  for (const char* text : test::kNoTimes) {
    EXPECT_TRUE(cast(text, "timestamptz").starts_with("error: ")) << text;
  }
}

TEST_F(KnownTextsTest, UuidsAreThoseOfTheServer) {
  for (const char* text : test::kUuidTexts) EXPECT_EQ(cast(text, "uuid"), test::kUuidTexts[0]);
  for (const char* text : test::kNoUuids) {
    EXPECT_TRUE(cast(text, "uuid").starts_with("error: ")) << text;
  }
}

}  // namespace
}  // namespace forebay::postgres
