#include "forebay/base/secret_text.hpp"

#include <gtest/gtest.h>

namespace forebay::test {
namespace {

TEST(SecretTextTest, ALongSecretIsHiddenWhereverItStands) {
  EXPECT_EQ(without_secret("url=x/correct-horse/y correct-horse", "correct-horse"),
            "url=x/***/y ***");
  EXPECT_EQ(without_secret("xhunter2222y", "hunter2222"), "x***y");
}

TEST(SecretTextTest, AShortSecretIsLeftInsideOtherWords) {
  EXPECT_EQ(without_secret("the application of app1 and app: password \"appl\"", "appl"),
            "the application of app1 and app: password \"***\"");
  EXPECT_EQ(without_secret("post, poster, outpost, post", "post"), "***, poster, outpost, ***");
  EXPECT_EQ(without_secret("post_office 2post p\xc3\xb6st\xc3\xb6", "post"),
            "post_office 2post p\xc3\xb6st\xc3\xb6");
}

TEST(SecretTextTest, AFewLettersAreNoSecret) {
  EXPECT_EQ(without_secret("a b abc", "abc"), "a b abc");
  EXPECT_EQ(without_secret("a b", ""), "a b");
}

TEST(SecretTextTest, ASecretOfStarsEnds) {
  EXPECT_EQ(without_secret("********* ****", "****"), "******* ***");
}

}  // namespace
}  // namespace forebay::test
