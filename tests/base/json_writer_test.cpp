#include "forebay/base/json_writer.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(JsonWriterTest, ValuesOfAllKinds) {
  JsonObject object;
  object.add("text", "say \"hi\"").add("yes", true).add("count", 7).add("big", ~std::uint64_t{0});
  object.add("rate", 0.1).add("whole", 100.0).add("wait", 1500ms);
  object.add("none", std::optional<int>()).add("some", std::optional<int>(3));
  EXPECT_EQ(object.text(),
            R"({"text":"say \"hi\"","yes":true,"count":7,"big":18446744073709551615,)"
            R"("rate":0.1,"whole":100,"wait":1.5,"none":null,"some":3})");
}

TEST(JsonWriterTest, ObjectsAndListsStandInEachOther) {
  EXPECT_EQ(JsonObject().text(), "{}");
  EXPECT_EQ(JsonList().text(), "[]");
  JsonList list;
  list.add(JsonObject().add("a", 1)).add(JsonList().add("b").add(false));

  EXPECT_EQ(JsonObject().add("items", list).text(), R"({"items":[{"a":1},["b",false]]})");
}

TEST(JsonWriterTest, NumbersThatJsonLacksAreNull) {
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(1e-7), "1e-07");
}

TEST(JsonWriterTest, SecondsAreExact) {
  EXPECT_EQ(json_seconds(0s), "0");
  EXPECT_EQ(json_seconds(1ns), "0.000000001");
  EXPECT_EQ(json_seconds(-1500ms), "-1.5");
  EXPECT_EQ(json_seconds(90s), "90");
}

}  // namespace
}  // namespace forebay
