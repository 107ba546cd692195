// How events are written: values as people know them, and one line whatever the texts are.
#include "forebay/base/log_event.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include <boost/property_tree/json_parser.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay::log {
namespace {

using namespace std::chrono_literals;

std::string text_of(std::chrono::nanoseconds time) { return value_text(field("time", time).value); }

TEST(LogEventTest, TimesAreReadable) { EXPECT_EQ(text_of(12345ms), "12.3s"); }

// An event that outlives the fields it is made with.
KeptEvent sample(std::initializer_list<Field> fields) {
  return KeptEvent(Event{Level::warning, "Refused", std::span(fields.begin(), fields.size()),
                         Time(1'767'323'045'678ms)});
}

TEST(LogEventTest, ValuesOfEveryKindHaveTheirWords) {
  const KeptEvent kept =
      sample({field("yes", true), field("small", std::int8_t{-7}),
              field("large", std::numeric_limits<std::uint64_t>::max()), field("ratio", 0.25),
              field("time", 12.3s), field("text", std::string("orders")),
              field("none", std::optional<int>()), field("some", std::optional<int>(3))});

  EXPECT_EQ(describe(kept.event()),
            "Refused yes=true small=-7 large=18446744073709551615 ratio=0.25 time=12.3s "
            "text=orders some=3");
  EXPECT_EQ(json_line(kept.event()),
            R"({"time":"2026-01-02T03:04:05.678Z","level":"warning","message":"Refused",)"
            R"("yes":true,"small":-7,"large":18446744073709551615,"ratio":0.25,"time":"12.3s",)"
            R"("text":"orders","some":3})");
  EXPECT_EQ(text_line(kept.event()).substr(0, 40), "2026-01-02T03:04:05.678Z warning Refused");
}

TEST(LogEventTest, NumbersThatJsonDoesNotKnowAreTexts) {
  const KeptEvent kept = sample(
      {field("infinite", std::numeric_limits<double>::infinity()), field("none", std::nan(""))});

  EXPECT_NE(json_line(kept.event()).find(R"("infinite":"inf","none":"nan"})"), std::string::npos);
}

TEST(LogEventTest, ValuesWithBlanksQuotesOrNothingAreQuoted) {
  const KeptEvent kept = sample({field("error", "rate limit exceeded"), field("empty", ""),
                                 field("quote", R"(say"hi")"), field("pair", "a=b"),
                                 field("path", R"(C:\x)"), field("word", "ünïcode")});

  EXPECT_EQ(describe(kept.event()),
            R"(Refused error="rate limit exceeded" empty="" quote="say\"hi\"" pair="a=b" )"
            R"(path="C:\\x" word=ünïcode)");
}

TEST(LogEventTest, HostileTextsStayOnOneLineAndCannotForgeFields) {
  const std::string forged = "x\n2026-01-02T03:04:05.678Z error Forged pool=y\r\x1b[2J\u009b\u2028";
  const std::array<Field, 1> fields{field("error", forged)};
  const Event event{Level::warning, "a\nb", fields, Time()};

  EXPECT_EQ(describe(event), R"(a\u000ab error="x\u000a2026-01-02T03:04:05.678Z error Forged )"
                             R"(pool=y\u000d\u001b[2J\u009b\u2028")");
}

bool is_one_line(const std::string& line) {
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return false;
  }
  return line.find("\u2028") == std::string::npos && line.find("\u0085") == std::string::npos;
}

TEST(LogEventTest, WhateverTheTextsAreALineIsALine) {
  EXPECT_TRUE(rc::check([](const std::string& message, const std::string& text) {
    const std::array<Field, 2> fields{field("error", text), field("after", 1)};
    const Event event{Level::error, message, fields, Time()};
    RC_ASSERT(is_one_line(text_line(event)));
    RC_ASSERT(is_one_line(json_line(event)));
    RC_ASSERT(text_line(event).ends_with(" after=1"));
  }));
}

// With a reader of others.
TEST(LogEventTest, WhateverTheTextsAreJsonIsReadBack) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const std::array<Field, 2> fields{field("error", text), field("after", 1)};
    std::istringstream line(json_line(Event{Level::error, "Refused", fields, Time()}));
    boost::property_tree::ptree tree;
    boost::property_tree::read_json(line, tree);
    RC_ASSERT(tree.get<std::string>("message") == "Refused");
    RC_ASSERT(tree.get<int>("after") == 1);
    const bool is_ascii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (is_ascii) RC_ASSERT(tree.get<std::string>("error") == text);
  }));
}

TEST(LogEventTest, AKeptEventOutlivesMovesAndWhatItWasMadeOf) {
  std::vector<KeptEvent> kept;
  for (int i = 0; i < 20; ++i) {
    const std::string text = "short" + std::to_string(i);
    kept.push_back(sample({field("text", text), field("number", i)}));
  }

  for (int i = 0; i < 20; ++i) {
    const Event event = kept[static_cast<std::size_t>(i)].event();
    EXPECT_EQ(event.text("text"), "short" + std::to_string(i));
    EXPECT_EQ(event.text("number"), std::to_string(i));
    EXPECT_EQ(event.text("nothing"), std::nullopt);
  }
}

}  // namespace
}  // namespace forebay::log
