// What stores on DynamoDB must do besides, as one suite over a real and a simulated table: share
// the items with clients of the older kind, make each change once whatever answers get lost, and
// cost little.
#pragma once

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/captured_log.hpp"
#include "support/dynamo_world.hpp"
#include "support/older_client.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class DynamoConformance : public testing::TestWithParam<MakeDynamoWorld> {
 protected:
  static constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50) + 250ms};
  static constexpr std::int64_t kSecond = std::int64_t{24} * 365 * 50 * 3600;

  DynamoConformance() { start_anew(RateLimits()); }

  void start_anew(RateLimits limits) {
    older_.reset();
    world_ = GetParam()(limits);
    older_.emplace(world_->process(3).client, world_->table(), kEndpoint);
  }

  template <class Reply>
  Reply ask(Task<Result<Reply>> task) {
    return world_->ask(std::move(task)).value();
  }
  AcquireReply acquire(const std::string& id, std::uint64_t sequence, int count, int limit = 100) {
    AcquireRequest request(LeaseChange(id, sequence, count), limit);
    request.service = "ours";
    request.now = kNow;
    return ask(world_->leases().acquire(request, world_->deadline()));
  }
  ReleaseReply release(const std::string& id, std::uint64_t sequence, int count) {
    ReleaseRequest request(LeaseChange(id, sequence, count), kNow);
    return ask(world_->leases().release(request, world_->deadline()));
  }
  LeaseListing listing() { return ask(world_->leases(1).list(world_->deadline())); }
  ReapReply reap(const std::string& id, std::uint64_t version) {
    ReapRequest request(id, version, kNow);
    return ask(world_->leases(1).reap(request, world_->deadline()));
  }
  bool older_acquires(const std::string& id, int limit) {
    return ask(older_->acquire(id, limit, kNow, world_->deadline()));
  }
  bool older_releases(const std::string& id) {
    return ask(older_->release(id, kNow, world_->deadline()));
  }
  std::optional<aws::Item> item(const std::string& key) {
    return ask(world_->process().client.get(world_->table(), key, world_->deadline()));
  }
  // By hand, as a person would.
  void set_counter(int active) {
    aws::Write write(aws::Write::Kind::update, world_->table(), kCounter);
    write.update = "SET active = :n";
    write.values.emplace(":n", aws::AttributeValue::number(active));
    EXPECT_TRUE(ask(world_->process().client.write(write, world_->deadline())).is_done);
  }

  // The request arrives, its answer and those of all further tries are lost.
  template <class Reply>
  void lose_answer(Task<Result<Reply>> (*send)(StoreWorld& world, Instant deadline)) {
    DroppingHttp& way = world_->process().way;
    way.is_dropping = true;
    const Result<Reply> reply = world_->ask(send(*world_, world_->deadline(300ms)));
    way.is_dropping = false;
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code(), Errc::timed_out) << reply.error().text();
    EXPECT_GE(way.dropped, 1);
  }

  const std::string kCounter = std::string("dsqllease_counter#") + kEndpoint;
  const std::string kLease = std::string("dsqllease#") + kEndpoint + "#";

  std::unique_ptr<DynamoWorld> world_;
  std::optional<OlderClient> older_;
};

TEST_P(DynamoConformance, ItemsAreThoseOfOlderClientsAndALittleMore) {
  acquire("a", 1, 3);
  acquire("a", 2, 2);

  const aws::Item lease = item(kLease + "a").value();
  EXPECT_EQ(aws::text_at(lease, "service_name"), "ours");
  EXPECT_EQ(aws::integer_at(lease, "created_ms"), kSecond * 1000 + 250);
  EXPECT_EQ(aws::integer_at(lease, "renewed_ms"), kSecond * 1000 + 250);
  EXPECT_EQ(aws::integer_at(lease, "ttl_epoch"), kSecond + 30 * 24 * 3600);
  EXPECT_EQ(aws::integer_at(lease, "connections"), 5);
  EXPECT_EQ(aws::integer_at(lease, "sequence"), 2);
  EXPECT_EQ(aws::integer_at(lease, "version"), 2);
  const aws::Item counter = item(kCounter).value();
  EXPECT_EQ(aws::integer_at(counter, "active"), 5);
  EXPECT_EQ(aws::integer_at(counter, "updated_ms"), kSecond * 1000 + 250);
  EXPECT_EQ(aws::integer_at(counter, "changes"), 2);
}

// By its own clock, DynamoDB would forget which times were used.
TEST_P(DynamoConformance, NodeNumbersAreNeverDeleted) {
  const std::string key = std::string("forebay_node#") + kEndpoint + "#" + std::to_string(5);
  const auto is_kept = [&](bool is_held, Task<Result<NodeReply>> change) {
    EXPECT_EQ(ask(std::move(change)).is_held, is_held);
    return !item(key).value().contains("ttl_epoch");
  };
  NodeClaim claim(5, "a");
  claim.ids_until = 500;
  EXPECT_TRUE(is_kept(true, world_->nodes().claim(claim, world_->deadline())));
  const NodeRenewal renewal(5, "a", 600, kNow);
  EXPECT_TRUE(is_kept(true, world_->nodes().renew(renewal, world_->deadline())));
  NodeClaim takeover(5, "b");
  takeover.seen = 2;
  takeover.ids_until = 700;
  EXPECT_TRUE(is_kept(true, world_->nodes().claim(takeover, world_->deadline())));
  const NodeRelease release(5, "b", kNow);
  EXPECT_TRUE(is_kept(false, world_->nodes().release(release, world_->deadline())));
}

TEST_P(DynamoConformance, OlderClientsAndOursShareOneLimit) {
  for (const char* id : {"o1", "o2", "o3", "o4"}) EXPECT_TRUE(older_acquires(id, 10));
  EXPECT_EQ(acquire("a", 1, 7, 10).outcome, AcquireOutcome::limit_reached);
  EXPECT_EQ(acquire("a", 1, 5, 10).active, 9);
  EXPECT_TRUE(older_acquires("o5", 10));
  EXPECT_FALSE(older_acquires("o6", 10));
  const AcquireReply full = acquire("a", 2, 1, 10);
  EXPECT_EQ(full.outcome, AcquireOutcome::limit_reached);
  EXPECT_EQ(full.active, 10);

  EXPECT_EQ(release("a", 2, 2).active, 8);
  EXPECT_TRUE(older_acquires("o6", 10));
  EXPECT_TRUE(older_acquires("o7", 10));
  EXPECT_FALSE(older_acquires("o8", 10));
  EXPECT_TRUE(older_releases("o1"));
  EXPECT_EQ(acquire("a", 3, 1, 10).outcome, AcquireOutcome::granted);
  EXPECT_EQ(listing().active, 10);
  EXPECT_EQ(listing().held_in_all(), 10);
}

TEST_P(DynamoConformance, AnOlderClientsLeaseIsOneConnectionThatNobodyRenews) {
  EXPECT_TRUE(older_acquires("old", 10));
  const LeaseListing seen = listing();
  ASSERT_EQ(seen.leases.size(), 1u);
  const LeaseRecord& lease = seen.leases[0];
  EXPECT_EQ(lease.id, "old");
  EXPECT_EQ(lease.service, "older");
  EXPECT_EQ(lease.held, 1);
  EXPECT_EQ(lease.version, 0u);
  EXPECT_FALSE(lease.is_renewed);
  EXPECT_EQ(lease.created_at, kNow);

  EXPECT_FALSE(reap("old", 1).is_reaped);
  const ReapReply reaped = reap("old", 0);
  EXPECT_TRUE(reaped.is_reaped);
  EXPECT_EQ(reaped.connections, 1);
  EXPECT_FALSE(reap("old", 0).is_reaped);
  EXPECT_EQ(listing().active, 0);
}

TEST_P(DynamoConformance, NobodyTakesAnOlderClientsLeaseForItsOwn) {
  EXPECT_TRUE(older_acquires("x", 10));
  EXPECT_EQ(acquire("x", 1, 1).outcome, AcquireOutcome::lost);
  EXPECT_EQ(release("x", 1, 1).outcome, HolderOutcome::lost);
  RenewRequest request("x", kNow);
  EXPECT_EQ(ask(world_->leases().renew(request, world_->deadline())).outcome, HolderOutcome::lost);
  EXPECT_EQ(listing().active, 1);
}

TEST_P(DynamoConformance, ACounterResetByHandIsSetRight) {
  acquire("a", 1, 5);
  EXPECT_TRUE(older_acquires("o1", 10));
  set_counter(2);
  const LeaseListing seen = listing();
  EXPECT_EQ(seen.active, 2);
  EXPECT_EQ(seen.held_in_all(), 6);
  // An older client writes neither a version nor a number of changes, and yet it is noticed.
  EXPECT_TRUE(older_releases("o1"));
  RecountRequest late(seen.mark, 6, kNow);
  EXPECT_FALSE(ask(world_->leases(1).recount(late, world_->deadline())).is_done);

  RecountRequest request(listing().mark, 5, kNow);
  EXPECT_TRUE(ask(world_->leases(1).recount(request, world_->deadline())).is_done);
  EXPECT_EQ(listing().active, 5);
}

TEST_P(DynamoConformance, OlderClientsAndOursShareTheSameSeconds) {
  RateLimits limits;
  limits.connects_per_second = 16;
  limits.mode = RateMode::window;
  start_anew(limits);
  const auto take = [&](int wanted) {
    TakeRequest request(RequestToken{1, 1}, wanted, kNow, 0s);
    return ask(world_->rates().take(request, world_->deadline()));
  };
  const auto older_takes = [&](std::int64_t second, int count) {
    return ask(older_->take(second, count, 16, world_->deadline()));
  };
  EXPECT_TRUE(older_takes(kSecond, 8));
  // The first try is for a quarter of all, and its failure says that only half is left.
  EXPECT_EQ(take(5).granted, 2);
  EXPECT_FALSE(older_takes(kSecond, 7));
  EXPECT_TRUE(older_takes(kSecond, 5));
  EXPECT_EQ(take(5).granted, 1);
  EXPECT_FALSE(older_takes(kSecond, 1));
  const TakeReply next = take(2);
  ASSERT_EQ(next.granted, 2);
  EXPECT_EQ(next.start(0), WallTime(std::chrono::seconds(kSecond + 1)));
  EXPECT_TRUE(older_takes(kSecond + 1, 14));
  EXPECT_FALSE(older_takes(kSecond + 1, 1));
  EXPECT_EQ(take(2).granted, 0);

  const std::string key = std::string("dsqlconnect#") + kEndpoint + "#" + std::to_string(kSecond);
  const aws::Item second = item(key).value();
  EXPECT_EQ(aws::integer_at(second, "count"), 16);
  EXPECT_EQ(aws::integer_at(second, "ttl_epoch"), kSecond + 180);
  EXPECT_TRUE(aws::integer_at(second, "updated_at_ms").has_value());
}

// What counts by the second is not seen by a bucket: it is looked for, counted and told.
TEST_P(DynamoConformance, ABucketLooksForTheSecondsOfOlderClients) {
  RateLimits limits;
  limits.mode = RateMode::bucket;
  start_anew(limits);
  std::uint64_t tokens = 0;
  const auto take_at = [&](WallTime now) {
    TakeRequest request(RequestToken{1, ++tokens}, 1, now, 0s);
    return ask(world_->rates().take(request, world_->deadline()));
  };
  CapturedLog log(log::Level::warning);
  EXPECT_EQ(take_at(kNow).granted, 1);
  EXPECT_EQ(world_->rates().foreign_seconds(), 0u);
  EXPECT_TRUE(ask(older_->take(kSecond + 3, 1, 16, world_->deadline())));
  EXPECT_TRUE(ask(older_->take(kSecond + 7, 1, 16, world_->deadline())));
  EXPECT_EQ(take_at(kNow + 9s).granted, 1);  // it was looked for a moment ago
  EXPECT_EQ(world_->rates().foreign_seconds(), 0u);
  EXPECT_FALSE(take_at(kNow + 10s).is_by_second);
  EXPECT_EQ(world_->rates().foreign_seconds(), 2u);
  EXPECT_TRUE(ask(older_->take(kSecond + 20, 1, 16, world_->deadline())));
  EXPECT_FALSE(take_at(kNow + 20s).is_by_second);
  EXPECT_EQ(world_->rates().foreign_seconds(), 3u);

  // Told once, with what to do.
  const std::vector<std::string> lines = log.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::HasSubstr("rate.mode"));
}

TEST_P(DynamoConformance, AutomaticCountsByTheSecondWhenOthersDo) {
  RateLimits limits;
  limits.connects_per_second = 16;
  limits.mode = RateMode::automatic;
  start_anew(limits);
  CapturedLog log(log::Level::warning);
  const auto take_at = [&](std::size_t process, WallTime now) {
    TakeRequest request(RequestToken{process, 1}, 1, now, 0s);
    return ask(world_->rates(process).take(request, world_->deadline()));
  };
  EXPECT_FALSE(take_at(0, kNow).is_by_second);
  EXPECT_FALSE(take_at(1, kNow).is_by_second);
  EXPECT_TRUE(ask(older_->take(kSecond + 11, 16, 16, world_->deadline())));
  const TakeReply reply = take_at(0, kNow + 11s);
  EXPECT_TRUE(reply.is_by_second);
  ASSERT_EQ(reply.granted, 1);
  EXPECT_GE(reply.start(0), WallTime(std::chrono::seconds(kSecond + 12)));  // that one is full

  // Others of this mode find its seconds, when no older client is left.
  EXPECT_TRUE(take_at(1, kNow + 21s).is_by_second);
}

// A process that holds nothing says what it wants, and goes on with the same lease.
TEST_P(DynamoConformance, AClaimIsSeenByOthersAndBecomesALease) {
  RenewRequest hungry("a", kNow);
  hungry.makes = true;
  hungry.claim = {7, 3};
  hungry.service = "ours";
  hungry.reap_after = 4min;
  EXPECT_EQ(ask(world_->leases().renew(hungry, world_->deadline())).held, 0);
  LeaseListing seen = listing();
  ASSERT_EQ(seen.leases.size(), 1u);
  EXPECT_EQ(seen.active, 0);
  EXPECT_EQ(seen.leases[0].held, 0);
  EXPECT_EQ(seen.leases[0].service, "ours");
  EXPECT_EQ(seen.leases[0].reap_after, 4min);
  EXPECT_EQ(seen.leases[0].claim, (LeaseClaim{7, 3}));
  EXPECT_TRUE(seen.leases[0].is_renewed);
  const std::uint64_t version = seen.leases[0].version;

  EXPECT_EQ(acquire("a", 1, 5).held, 5);
  seen = listing();
  EXPECT_EQ(seen.active, 5);
  EXPECT_GT(seen.leases.at(0).version, version);  // nobody takes it for silent

  RenewRequest content("a", kNow);
  content.claim = {5, 3};
  EXPECT_EQ(ask(world_->leases().renew(content, world_->deadline())).held, 5);
  EXPECT_EQ(listing().leases.at(0).claim.wanted, 5);
  EXPECT_EQ(release("a", 2, 5).held, 0);
  EXPECT_TRUE(listing().leases.empty());

  // One that nobody renews is reaped, and leaves the counter alone.
  hungry.lease_id = "b";
  ask(world_->leases().renew(hungry, world_->deadline()));
  EXPECT_TRUE(reap("b", 1).is_reaped);
  EXPECT_EQ(listing().active, 0);
}

TEST_P(DynamoConformance, AnAcquireWhoseAnswerWasLostIsMadeOnce) {
  acquire("a", 1, 2);
  lose_answer<AcquireReply>([](StoreWorld& world, Instant deadline) {
    AcquireRequest request(LeaseChange("a", 2, 3), 5);
    request.now = kNow;
    return world.leases().acquire(request, deadline);
  });
  EXPECT_EQ(listing().active, 5);

  // The limit is in the way of a second one, and not of this answer.
  const AcquireReply reply = acquire("a", 2, 3, 5);
  EXPECT_EQ(reply.outcome, AcquireOutcome::granted);
  EXPECT_EQ(reply.held, 5);
  EXPECT_EQ(reply.active, 5);
}

TEST_P(DynamoConformance, AReleaseWhoseAnswerWasLostIsMadeOnce) {
  acquire("a", 1, 5);
  lose_answer<ReleaseReply>([](StoreWorld& world, Instant deadline) {
    ReleaseRequest request(LeaseChange("a", 2, 2), kNow);
    return world.leases().release(request, deadline);
  });
  EXPECT_EQ(listing().active, 3);
  EXPECT_EQ(release("a", 2, 2).held, 3);
  EXPECT_EQ(listing().active, 3);

  lose_answer<ReleaseReply>([](StoreWorld& world, Instant deadline) {
    ReleaseRequest request(LeaseChange("a", 3, 3), kNow);
    return world.leases().release(request, deadline);
  });
  EXPECT_EQ(release("a", 3, 3).outcome, HolderOutcome::lost);
  EXPECT_EQ(listing().active, 0);
  EXPECT_TRUE(listing().leases.empty());
}

TEST_P(DynamoConformance, PlacesWhoseAnswerWasLostAreGivenAgain) {
  const auto take = [](StoreWorld& world, Instant deadline) {
    TakeRequest request(RequestToken{7, 7}, 3, kNow, 0s);
    return world.rates().take(request, deadline);
  };
  lose_answer<TakeReply>(take);
  const TakeReply again = ask(take(*world_, world_->deadline()));
  EXPECT_EQ(again.granted, 3);

  // The burst was 1000, and three of them are gone.
  TakeRequest rest(RequestToken{7, 8}, 2000, kNow, 0s);
  const TakeReply others = ask(world_->rates(1).take(rest, world_->deadline()));
  EXPECT_EQ(others.granted, 997 + 25);
}

// One transaction for many connections. With one for each, each way, it is 8 a connection; only
// DynamoDB Local does not count the units of a transaction twice.
TEST_P(DynamoConformance, FiftyConnectionsCostLittle) {
  const double before = world_->write_units();
  acquire("a", 1, 50, 10'000);
  release("a", 2, 50);
  const double each = (world_->write_units() - before) / 50;

  const double older_before = world_->process(3).client.usage().write_units;
  EXPECT_TRUE(older_acquires("old", 10'000));
  EXPECT_TRUE(older_releases("old"));
  const double older = world_->process(3).client.usage().write_units - older_before;
  RecordProperty("write_units_per_connection", std::to_string(each));
  std::cout << "write units per connection opened and closed: " << each << ", an older client's "
            << older << "\n";
  EXPECT_GT(each, 0);
  EXPECT_LE(each, 2);
  EXPECT_LT(each * 40, older);
}

}  // namespace forebay::test
