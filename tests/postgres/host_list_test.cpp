// HostList: which hosts of a connection string have to be looked up, and what libpq gets instead.
#include "forebay/postgres/driver/host_list.hpp"

#include <gtest/gtest.h>

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

std::string written(const HostList& hosts) {
  ConnectionString made = target("");
  hosts.write_to(made);
  return made.redacted();
}

TEST(HostListTest, ANameNeedsALookup) {
  EXPECT_TRUE(HostList("db.example", "", "5432").needs_lookup());
  EXPECT_TRUE(HostList("localhost", "", "").needs_lookup());
}

TEST(HostListTest, AddressesAndSocketsNeedNone) {
  for (const char* host :
       {"127.0.0.1", "127.1", "::1", "fe80::1%eth0", "/run/postgresql", "@abstract", ""}) {
    EXPECT_FALSE(HostList(host, "", "5432").needs_lookup()) << host;
  }
}

TEST(HostListTest, AHostWithAnAddressNeedsNone) {
  EXPECT_FALSE(HostList("db.example", "10.0.0.1", "5432").needs_lookup());
  EXPECT_FALSE(HostList("", "10.0.0.1", "5432").needs_lookup());
}

TEST(HostListTest, OneOfSeveralMayNeedALookup) {
  EXPECT_TRUE(HostList("10.0.0.1,db.example", "", "5432").needs_lookup());
  EXPECT_TRUE(HostList("a.example,b.example", "10.0.0.1,", "5432").needs_lookup());
  EXPECT_FALSE(HostList("a.example,b.example", "10.0.0.1,10.0.0.2", "5432").needs_lookup());
}

TEST(HostListTest, WhatLibpqRefusesIsLeftToIt) {
  EXPECT_TRUE(HostList("a.example,b.example", "", "1,2,3").places().empty());
  EXPECT_TRUE(HostList("a.example,b.example", "10.0.0.1", "").places().empty());
}

TEST(HostListTest, EachAddressBecomesAServerOfThatName) {
  HostList hosts("/run,db.example,10.0.0.9", "", "1,2,3");

  hosts.fill_in({{"10.0.0.1", "fe80::2"}});

  EXPECT_FALSE(hosts.needs_lookup());
  EXPECT_EQ(written(hosts),
            "host=/run,db.example,db.example,10.0.0.9 hostaddr=,10.0.0.1,fe80::2, port=1,2,2,3");
}

TEST(HostListTest, OnePortIsForAll) {
  HostList hosts("a.example,b.example", "", "6432");

  hosts.fill_in({{"10.0.0.1"}, {"10.0.0.2"}});

  EXPECT_EQ(written(hosts), "host=a.example,b.example hostaddr=10.0.0.1,10.0.0.2 port=6432,6432");
}

TEST(HostListTest, ANameWithoutAnAddressIsLeftOut) {
  HostList hosts("a.example,b.example", "", "1,2");

  hosts.fill_in({{}, {"10.0.0.2"}});

  EXPECT_EQ(written(hosts), "host=b.example hostaddr=10.0.0.2 port=2");
}

}  // namespace
}  // namespace forebay::postgres
