// Names of databases from ids that may be hostile.
#include "forebay/tenants/tenant_name.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using testing::HasSubstr;

TEST(TenantNameTest, ADashBecomesAnUnderscore) {
  EXPECT_EQ(tenant_database("app", "acme-7").value(), "app_ws_acme_7");
  EXPECT_EQ(tenant_database("my_app", "A").value(), "my_app_ws_A");
  EXPECT_EQ(tenant_database("notifuse", "0b5e1c9a-7a43-4c5f-9f5e-0d8ca37a4f6c").value(),
            "notifuse_ws_0b5e1c9a_7a43_4c5f_9f5e_0d8ca37a4f6c");
}

TEST(TenantNameTest, HostileIdsAreRefused) {
  for (const std::string& id :
       {std::string(""), std::string("a b"), std::string("a\"b"), std::string("a'b"),
        std::string("a;b"), std::string("a/../b"), std::string("a\nb"), std::string("a\0b", 3),
        std::string("\xc3\xa4"), std::string("a."), std::string("a$"), std::string("a%00"),
        std::string("dbname=x"), std::string(57, 'x')}) {
    const Result<std::string> name = tenant_database("app", id);
    ASSERT_FALSE(name.has_value()) << id;
    EXPECT_EQ(name.error().code(), Errc::invalid);
    EXPECT_EQ(name.error().text().find('\n'), std::string::npos);
    EXPECT_EQ(name.error().text().find('\0'), std::string::npos);
  }
}

TEST(TenantNameTest, TheLongestNameHas63Bytes) {
  EXPECT_EQ(tenant_database("app", std::string(56, 'x')).value().size(), 63u);

  const Result<std::string> longer = tenant_database("app", std::string(57, 'x'));

  EXPECT_THAT(longer.error().text(), HasSubstr("at most 56 characters"));
}

TEST(TenantNameTest, AnUnderscoreIsRefusedWithTheReason) {
  const Result<std::string> name = tenant_database("app", "a_b");

  ASSERT_FALSE(name.has_value());
  EXPECT_THAT(name.error().text(), HasSubstr("a_b and a-b would share a database"));
}

TEST(TenantNameTest, APrefixIsPlainAndShort) {
  EXPECT_TRUE(check_prefix("my_app2").has_value());
  EXPECT_TRUE(check_prefix(std::string(31, 'x')).has_value());
  for (const std::string& prefix :
       {std::string(""), std::string("a-b"), std::string("a\"b"), std::string(32, 'x')})
    EXPECT_FALSE(check_prefix(prefix).has_value()) << prefix;
}

// Ids of few letters, so that they are often alike.
TEST(TenantNameProperty, TwoAcceptedIdsNeverShareADatabase) {
  EXPECT_TRUE(rc::check([] {
    const auto letter = rc::gen::element('a', 'A', '-', '_', '0', '.');
    const auto ids = *rc::gen::container<std::vector<std::string>>(
        rc::gen::resize(6, rc::gen::container<std::string>(letter)));
    std::map<std::string, std::string> owner;
    for (const std::string& id : ids) {
      const Result<std::string> name = tenant_database("p", id);
      if (!name) continue;
      RC_ASSERT(name->size() <= 63u);
      RC_ASSERT(name->starts_with("p_ws_"));
      const auto [found, is_new] = owner.emplace(*name, id);
      RC_ASSERT(is_new || found->second == id);
    }
  }));
}

TEST(TenantNameProperty, AnyBytesGiveAPlainNameOrARefusal) {
  EXPECT_TRUE(rc::check([](const std::string& id) {
    const Result<std::string> name = tenant_database("p", id);
    if (!name) return;
    RC_ASSERT(name->find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
              std::string::npos);
  }));
}

}  // namespace
}  // namespace forebay
