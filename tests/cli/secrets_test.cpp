// Secrets in words of the command line.
#include "forebay/cli/secrets.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace forebay::cli
