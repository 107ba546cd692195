#include "forebay/proxy/session/statement_texts.hpp"

#include <gtest/gtest.h>

namespace forebay::proxy {
namespace {

TEST(StatementTextsTest, TextsThatDifferInTheirConstantsAreReadOnce) {
  StatementTexts texts;
  for (int i = 0; i < 1'000; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_TRUE(texts.read("SELECT * FROM t WHERE id = " + number).leftovers.empty());
    EXPECT_TRUE(
        texts.read("SELECT nextval('s" + number + "')").leftovers.has(wire::Leftover::sequences));
  }
  EXPECT_EQ(texts.readings(), 2u);
}

TEST(StatementTextsTest, NamesAreNoConstants) {
  StatementTexts texts;
  for (const std::string name : {"a1", "a2", "\"a 1\"", "\"a 2\""}) {
    const std::string plain = name.starts_with('"') ? name.substr(1, name.size() - 2) : name;
    EXPECT_EQ(texts.read("EXECUTE " + name + "(1)").executes, std::vector<std::string>{plain});
  }
  EXPECT_EQ(texts.read("SELECT set_config('a.b', '1', false)").settings.at(0).name, "a.b");
  EXPECT_EQ(texts.read("SELECT set_config('a.c', '1', false)").settings.at(0).name, "a.c");
}

// What the parser cannot read with these constants it may read with others.
TEST(StatementTextsTest, ATextThatCannotBeReadSaysNothingOfOthers) {
  StatementTexts texts;
  EXPECT_FALSE(texts.read("EXECUTE p(1::char(99999999999))").is_understood);
  EXPECT_TRUE(texts.read("EXECUTE p(1::char(5))").is_understood);
}

}  // namespace
}  // namespace forebay::proxy
