#include "forebay/standin/access/start_rules.hpp"

#include <gtest/gtest.h>

namespace forebay::standin {
namespace {

using Parameters = std::vector<std::pair<std::string_view, std::string_view>>;

struct Read {
  ClientStart start;
  std::string refusal;  // with its SQLSTATE; empty: none
};

Read read(const Parameters& parameters) {
  std::string packet;
  wire::write_startup(packet, wire::kVersion30, parameters);
  const auto parsed = wire::parse_startup(std::string_view(packet).substr(4));
  Read read;
  const auto refusal =
      read_start(std::get<wire::StartupView>(*parsed), StatementRules(RuleBook()), read.start);
  if (refusal) read.refusal = refusal->sqlstate + " " + refusal->message;
  return read;
}

TEST(StartRulesTest, AnAllowedStartIsTakenApart) {
  const Read seen = read({{"user", "admin"},
                          {"database", "postgres"},
                          {"application_name", "shop"},
                          {"DateStyle", "ISO"},
                          {"options", "-c search_path=a\\ b -cTimeZone=UTC  --enable-seqscan=off"},
                          {"_pq_.something", "1"}});
  EXPECT_EQ(seen.refusal, "");
  EXPECT_EQ(seen.start.user, "admin");
  const std::vector<std::pair<std::string, std::string>> expected{{"application_name", "shop"},
                                                                  {"DateStyle", "ISO"},
                                                                  {"search_path", "a b"},
                                                                  {"TimeZone", "UTC"},
                                                                  {"enable_seqscan", "off"}};
  EXPECT_EQ(seen.start.settings, expected);
}

TEST(StartRulesTest, OnlyTheDatabasePostgresExists) {
  EXPECT_EQ(read({{"user", "admin"}, {"database", "shop"}}).refusal,
            "3D000 database \"shop\" does not exist");
  EXPECT_EQ(read({{"user", "admin"}}).refusal, "3D000 database \"admin\" does not exist");
}

TEST(StartRulesTest, SettingsBesideTheListAreRefused) {
  const auto refusal = [](std::string_view name, std::string_view value) {
    return read({{"user", "a"}, {"database", "postgres"}, {name, value}}).refusal;
  };
  EXPECT_EQ(refusal("client_min_messages", "notice"),
            "0A000 setting configuration parameter \"client_min_messages\" not supported");
  EXPECT_EQ(refusal("options", "-c statement_timeout=5s"),
            "0A000 setting configuration parameter \"statement_timeout\" not supported");
  EXPECT_EQ(refusal("options", "--lock-timeout=5s"),
            "0A000 setting configuration parameter \"lock_timeout\" not supported");
  EXPECT_EQ(refusal("options", "-c"), "42601 -c  requires a value");
  EXPECT_EQ(refusal("options", "-d 3"),
            "42601 invalid command-line argument for server process: -d");
  EXPECT_EQ(refusal("replication", "database"), "0A000 replication is not supported");
}

}  // namespace
}  // namespace forebay::standin
