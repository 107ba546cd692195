// Names of databases from ids that may be hostile, by pattern and by function.
#include "forebay/tenants/tenant_name.hpp"

#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using testing::HasSubstr;

constexpr const char* kDefault = "{prefix}_ws_{id}";

Result<std::string> database_of(const std::string& prefix, std::string_view id,
                                const std::string& pattern = kDefault) {
  TenantOptions options;
  options.prefix = prefix;
  options.database = pattern;
  return TenantNames(options).database(id);
}

TEST(TenantNameTest, ADashBecomesAnUnderscore) {
  EXPECT_EQ(database_of("app", "acme-7").value(), "app_ws_acme_7");
  EXPECT_EQ(database_of("my_app", "A").value(), "my_app_ws_A");
  EXPECT_EQ(database_of("notifuse", "0b5e1c9a-7a43-4c5f-9f5e-0d8ca37a4f6c").value(),
            "notifuse_ws_0b5e1c9a_7a43_4c5f_9f5e_0d8ca37a4f6c");
}

TEST(TenantNameTest, HostileIdsAreRefused) {
  for (const std::string& id :
       {std::string(""), std::string("a b"), std::string("a\"b"), std::string("a'b"),
        std::string("a;b"), std::string("a/../b"), std::string("a\nb"), std::string("a\0b", 3),
        std::string("\xc3\xa4"), std::string("a$"), std::string("a%00"), std::string("dbname=x"),
        std::string(57, 'x')}) {
    for (const char* pattern : {kDefault, "{prefix}_ws_{exact_id}"}) {
      const Result<std::string> name = database_of("app", id, pattern);
      ASSERT_FALSE(name.has_value()) << id;
      EXPECT_EQ(name.error().code(), Errc::invalid);
      EXPECT_EQ(name.error().text().find('\n'), std::string::npos);
      EXPECT_EQ(name.error().text().find('\0'), std::string::npos);
    }
  }
}

TEST(TenantNameTest, TheLongestNameHas63Bytes) {
  EXPECT_EQ(database_of("app", std::string(56, 'x')).value().size(), 63u);

  const Result<std::string> longer = database_of("app", std::string(57, 'x'));

  EXPECT_THAT(longer.error().text(), HasSubstr("at most 56 characters"));
}

TEST(TenantNameTest, AnUnderscoreIsRefusedWithTheReason) {
  const Result<std::string> name = database_of("app", "a_b");

  ASSERT_FALSE(name.has_value());
  EXPECT_THAT(name.error().text(), HasSubstr("a_b and a-b would share a database"));
  EXPECT_THAT(name.error().text(), HasSubstr("with {exact_id} in the pattern both can be used"));
}

TEST(TenantNameTest, APatternIsTheUsers) {
  EXPECT_EQ(database_of("app", "a-b", "customer-{id}.{prefix}").value(), "customer-a_b.app");
  EXPECT_EQ(database_of("app", "a_b", "{prefix}_ws_{exact_id}").value(), "app_ws_a_b");
  EXPECT_EQ(database_of("app", "a-b", "{prefix}_ws_{exact_id}").value(), "app_ws_a-b");
  EXPECT_EQ(database_of("app", "acme.example", "{exact_id}").value(), "acme.example");
}

TEST(TenantNameTest, APatternThatCannotWorkSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "it must have {id} or {exact_id}: without, all tenants would share a database"},
      {"{prefix}_ws", "without, all tenants would share a database"},
      {"{id}_{id}", "it must have the id once"},
      {"{exact_id}_{id}", "it must have the id once"},
      {"{Id}", "\"Id\" means nothing: there are {prefix}, {id} and {exact_id}"},
      {"{}", "\"\" means nothing"},
      {"x_{id", "a brace is open"},
      {"x_id}", "beside what is in braces"},
      {"a b {id}", "beside what is in braces"},
      {"a\"b{id}", "beside what is in braces"},
      {std::string(56, 'x') + "{id}",
       "it may have 55 characters beside the id, and has 56: names have 63 at most"},
      {"{prefix}{prefix}{prefix}{prefix}{prefix}{prefix}{prefix}{id}", "and has 56"},
  };
  for (const auto& [pattern, told] : wrong) {
    const Result<NamePattern> parsed = NamePattern::parse(pattern, "12345678");
    ASSERT_FALSE(parsed.has_value()) << pattern;
    EXPECT_EQ(parsed.error().code(), Errc::invalid);
    EXPECT_THAT(parsed.error().text(), HasSubstr(told));
  }
}

TEST(TenantNameTest, APrefixIsPlainAndShort) {
  EXPECT_TRUE(is_prefix("my_app2"));
  EXPECT_TRUE(is_prefix(std::string(31, 'x')));
  for (const std::string& prefix :
       {std::string(""), std::string("a-b"), std::string("a\"b"), std::string(32, 'x')})
    EXPECT_FALSE(is_prefix(prefix)) << prefix;
}

TEST(TenantNameTest, AFunctionMakesNamesOfAnyText) {
  TenantOptions options;
  options.database_of = [](std::string_view id) -> Result<std::string> {
    if (id == "gone") return failure(Errc::not_found, "no such customer");
    if (id == "thrown") throw std::runtime_error("the map is not loaded");
    if (id == "long") return std::string(64, 'x');
    if (id == "empty") return "";
    if (id == "line") return "a\nb";
    return "of " + std::string(id);
  };
  const TenantNames names(options);

  EXPECT_TRUE(names.may_collide());
  EXPECT_EQ(names.database("K\xc3\xb6ln").value(), "of K\xc3\xb6ln");
  EXPECT_EQ(names.database("gone").error().code(), Errc::not_found);
  EXPECT_THAT(names.database("thrown").error().text(), HasSubstr("the map is not loaded"));
  for (const std::string& id : {std::string("long"), std::string("empty"), std::string("line"),
                                std::string("a\nb"), std::string(256, 'x'), std::string()})
    EXPECT_EQ(names.database(id).error().code(), Errc::invalid) << id;
}

// Ids of few letters, so that they are often alike.
auto some_ids() {
  const auto letter = rc::gen::element('a', 'A', '-', '_', '0', '.');
  return rc::gen::container<std::vector<std::string>>(
      rc::gen::resize(6, rc::gen::container<std::string>(letter)));
}

void expect_apart(const NamePattern& pattern, const std::vector<std::string>& ids) {
  std::map<std::string, std::string> owner;
  for (const std::string& id : ids) {
    const Result<std::string> name = pattern.database(id);
    if (!name) continue;
    RC_ASSERT(name->size() <= 63u);
    const auto [found, is_new] = owner.emplace(*name, id);
    RC_ASSERT(is_new || found->second == id);
  }
}

TEST(TenantNameProperty, TwoAcceptedIdsNeverShareADatabase) {
  EXPECT_TRUE(rc::check([] { expect_apart(*NamePattern::parse(kDefault, "p"), *some_ids()); }));
}

// Whatever pattern is accepted: all others are refused.
TEST(TenantNameProperty, NoPatternGivesTwoIdsOneDatabase) {
  EXPECT_TRUE(rc::check([] {
    const auto piece = rc::gen::element<std::string>("{prefix}", "_", "-", ".", "a", "A", "0", "",
                                                     "", "{id}", "{exact_id}", "{x}");
    const auto id = rc::gen::element<std::string>("{id}", "{exact_id}");
    std::string text = *piece;
    text += *piece;
    text += *id;
    text += *piece;
    text += *piece;
    const Result<NamePattern> pattern = NamePattern::parse(text, "a_");
    RC_CLASSIFY(pattern.has_value(), "accepted");
    if (pattern) expect_apart(*pattern, *some_ids());
  }));
}

TEST(TenantNameProperty, AnyBytesGiveAPlainNameOrARefusal) {
  EXPECT_TRUE(rc::check([](const std::string& id) {
    const Result<std::string> name = database_of("p", id);
    if (!name) return;
    RC_ASSERT(name->find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
              std::string::npos);
  }));
}

}  // namespace
}  // namespace forebay
