// Secrets in words of the command line, and words that were mistyped.
#include <gtest/gtest.h>

#include "forebay/cli/secrets.hpp"
#include "forebay/cli/suggestion.hpp"

namespace forebay::cli {
namespace {

TEST(SecretsTest, ConnectionStringsAreNotShown) {
  EXPECT_EQ(shown("20"), "\"20\"");
  EXPECT_EQ(shown("a\nb\x1b"), "\"a?b?\"");
  for (const char* word : {"postgresql://u:hunter2@h/d", "u:hunter2@h", "password=hunter2"}) {
    EXPECT_EQ(shown(word), "not shown, since it may hold a password");
  }
}

TEST(SecretsTest, HiddenWordsAreGoneFromMemory) {
  std::string program = "forebay";
  std::string url = "--database=postgresql://u:hunter2@h/d";
  std::string plain = "--json";
  char* words[] = {program.data(), url.data(), plain.data()};

  hide_secrets(3, words);

  EXPECT_EQ(url, "***" + std::string(url.size() - 3, '\0'));
  EXPECT_EQ(plain, "--json");
}

TEST(SuggestionTest, TheNearestWordIsMeant) {
  const std::vector<std::string> known = {"--seconds", "--ready", "--rate", "--connections"};

  EXPECT_EQ(nearest("--secnds", known), "--seconds");
  EXPECT_EQ(nearest("--conn", known), "--connections");
  EXPECT_EQ(nearest("--reaty", known), "--ready");
  EXPECT_EQ(nearest("--verbose", known), "");
  EXPECT_EQ(nearest("", {}), "");
}

}  // namespace
}  // namespace forebay::cli
