#include "forebay/aws/credentials/xml_text.hpp"

#include <gtest/gtest.h>

namespace forebay::aws {
namespace {

TEST(XmlTextTest, FindsTheTextOfAnElement) {
  const std::string document =
      "<?xml version=\"1.0\"?><A xmlns=\"x\">\n <B><Key>one</Key><Other>a &amp;&lt;b&gt;&quot;"
      "&apos; &amp;amp;</Other><Key>two</Key></B></A>";

  EXPECT_EQ(xml_text(document, "Key"), "one");
  EXPECT_EQ(xml_text(document, "Other"), "a &<b>\"' &amp;");
}

TEST(XmlTextTest, IsEmptyWhereThereIsNone) {
  EXPECT_EQ(xml_text("", "Key"), "");
  EXPECT_EQ(xml_text("<Keys>one</Keys>", "Key"), "");
  EXPECT_EQ(xml_text("<Key>one", "Key"), "");
  EXPECT_EQ(xml_text("<Key>one</Other>", "Key"), "");
  EXPECT_EQ(xml_text("<Key><Inner>one</Inner></Key>", "Key"), "");
  EXPECT_EQ(xml_text("<Key></Key>", "Key"), "");
}

}  // namespace
}  // namespace forebay::aws
