// Names are looked up on the loop, and nobody waits for a name server but who asked.
#include "forebay/env/real/ares_resolver.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"
#include "support/name_server.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::NameServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Addresses = std::vector<std::string>;

constexpr Duration kPatience = 30s;

RuntimeOptions asking(const NameServer& server) {
  RuntimeOptions options;
  options.name_servers = server.place();
  return options;
}

Task<Result<Addresses>> look_up(Runtime& runtime, std::string name, Duration limit) {
  const std::unique_ptr<NameLookup> lookup = runtime.names().look_up(name);
  const Instant deadline = deadline_after(runtime.scheduler().now(), limit);
  co_return co_await lookup->run(deadline);
}

Result<Addresses> addresses(Runtime& runtime, const std::string& name, Duration limit = kPatience) {
  return run_blocking(runtime.scheduler(), look_up(runtime, name, limit));
}

TEST(AresResolverTest, FindsTheMachineItself) {
  const NameServer server{NameServer::Silent()};
  Runtime runtime(asking(server));

  const Result<Addresses> found = addresses(runtime, "localhost");

  ASSERT_TRUE(found) << found.error().text();
  EXPECT_THAT(*found, testing::Contains("127.0.0.1"));
}

TEST(AresResolverTest, FindsAllAddressesOfAName) {
  const NameServer server(NameServer::Table{{"db.test", {"127.0.0.7", "127.0.0.8", "::1"}}});
  Runtime runtime(asking(server));

  const Result<Addresses> found = addresses(runtime, "db.test");

  ASSERT_TRUE(found) << found.error().text();
  EXPECT_THAT(*found, UnorderedElementsAre("127.0.0.7", "127.0.0.8", "::1"));
}

TEST(AresResolverTest, AnUnknownNameIsNamed) {
  const NameServer server(NameServer::Table{});
  Runtime runtime(asking(server));

  const Result<Addresses> found = addresses(runtime, "db.test");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::refused);
  EXPECT_THAT(found.error().text(),
              HasSubstr("the host name \"db.test\" could not be looked up: there is no such name"));
  EXPECT_THAT(found.error().text(), HasSubstr("(it took "));
}

TEST(AresResolverTest, ASilentServerCostsNoMoreThanTheDeadline) {
  const NameServer server{NameServer::Silent()};
  Runtime runtime(asking(server));
  const auto begun = std::chrono::steady_clock::now();

  const Result<Addresses> found = addresses(runtime, "db.test", 300ms);

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::timed_out);
  EXPECT_THAT(found.error().text(), HasSubstr("\"db.test\""));
  EXPECT_THAT(found.error().text(), HasSubstr("no name server has answered"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST(AresResolverTest, AServerThatIsNoneIsInvalid) {
  RuntimeOptions options;
  options.name_servers = "not an address";
  Runtime runtime(options);

  const Result<Addresses> found = addresses(runtime, "db.test");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::invalid);
  EXPECT_THAT(found.error().text(), HasSubstr("\"not an address\" is no list of name servers"));
}

Task<void> follow(NameLookup& lookup, Result<Addresses>& found) {
  found = co_await lookup.run(kNever);
}

Task<Result<Addresses>> cancelled(Runtime& runtime) {
  const std::unique_ptr<NameLookup> lookup = runtime.names().look_up("db.test");
  Result<Addresses> found;
  TaskGroup tasks(runtime.scheduler());
  tasks.spawn(follow(*lookup, found));
  co_await sleep_for(runtime.scheduler(), 20ms);
  lookup->cancel();
  co_await tasks.join();
  co_return found;
}

TEST(AresResolverTest, ALookupCanBeCancelled) {
  const NameServer server{NameServer::Silent()};
  Runtime runtime(asking(server));

  const Result<Addresses> found = run_blocking(runtime.scheduler(), cancelled(runtime));

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::closed);
}

Task<Result<Addresses>> cancelled_before(Runtime& runtime) {
  const std::unique_ptr<NameLookup> lookup = runtime.names().look_up("db.test");
  lookup->cancel();
  co_return co_await lookup->run(kNever);
}

TEST(AresResolverTest, ALookupCanBeCancelledBeforeItBegins) {
  const NameServer server{NameServer::Silent()};
  Runtime runtime(asking(server));

  const Result<Addresses> found = run_blocking(runtime.scheduler(), cancelled_before(runtime));

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::closed);
}

Task<void> follow_until(Runtime& runtime, std::string name, Instant deadline, Errc& code) {
  const std::unique_ptr<NameLookup> lookup = runtime.names().look_up(name);
  const Result<Addresses> found = co_await lookup->run(deadline);
  if (!found) code = found.error().code();
}

// Fifty silent ones; the loop goes on serving others.
Task<Duration> longest_pause_of_the_loop(Runtime& runtime) {
  constexpr int kLookups = 50;
  Scheduler& scheduler = runtime.scheduler();
  const Instant deadline = deadline_after(scheduler.now(), 1s);
  std::vector<Errc> codes(kLookups, Errc::invalid);
  TaskGroup tasks(scheduler);
  for (Errc& code : codes) tasks.spawn(follow_until(runtime, "db.test", deadline, code));
  Duration longest{};
  while (tasks.running() > 0) {
    const Instant before = scheduler.now();
    co_await sleep_for(scheduler, 1ms);
    longest = std::max(longest, scheduler.now() - before);
  }
  co_await tasks.join();
  for (const Errc code : codes) EXPECT_EQ(code, Errc::timed_out);
  co_return longest;
}

TEST(AresResolverTest, ManySilentLookupsDoNotHoldUpTheLoop) {
  const NameServer server{NameServer::Silent()};
  Runtime runtime(asking(server));

  EXPECT_LT(run_blocking(runtime.scheduler(), longest_pause_of_the_loop(runtime)), 900ms);
}

}  // namespace
}  // namespace forebay::real
