// The checks of worlds with proxies can fail: for each a bug is planted, and the world finds it.
#include <array>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/pool/pool_control.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/run.hpp"
#include "forebay/sim/tampering.hpp"
#include "sim_proxy/meddled_stream.hpp"
#include "sim_proxy/told_run.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

// Six clients on two connections, in a world in which nothing goes wrong.
Scenario calm_world() {
  Scenario scenario;
  scenario.name = "planted";
  scenario.seed = 7;
  scenario.duration = 12s;
  scenario.sample_every = 250ms;
  scenario.healing = 2s;
  scenario.assertions.converge_within.reset();
  scenario.database.connects_per_second = 50;
  scenario.database.connect_burst = 2;
  scenario.database.connect = {3ms, 2ms, {}};
  scenario.database.answer = {1500us, 1500us, {}};
  scenario.streams.delay = 300us;
  scenario.coordination.stagger = 100ms;
  ServiceSpec& service = scenario.services.emplace_back();
  service.name = "proxy";
  service.supply = Supply::standard;
  service.max = 2;
  service.base_lifetime = 1min;
  service.jitter = 0s;
  service.guard_window = 1s;
  service.proxy.clients = 6;
  service.proxy.work = ClientWork::anything;
  service.proxy.query_wait = 3s;
  return scenario;
}

// The same with clients who want the same again and again, in transactions.
Scenario busy_world() {
  Scenario scenario = calm_world();
  ProxySpec& proxy = scenario.services.front().proxy;
  proxy.work = ClientWork::transactions;
  proxy.statements = 2;
  proxy.statement_time = 10ms;
  proxy.think_time = 20ms;
  return scenario;
}

void expect_broken(const RunResult& result, Promise promise, const std::string& words) {
  ASSERT_TRUE(result.broken_promise.has_value());
  const BrokenPromise& broken = *result.broken_promise;
  EXPECT_EQ(broken.promise, static_cast<int>(promise)) << broken.what;
  EXPECT_NE(broken.what.find(words), std::string::npos) << broken.what;
}

TEST(BrokenProxiesTest, HonestWorldsBreakNothingAndAreFullOfLife) {
  const RunResult calm = run(calm_world()), busy = run(busy_world());

  EXPECT_EQ(broken(calm), "");
  EXPECT_GT(figures(calm).units, 500u);
  EXPECT_GT(figures(calm).stays, 250u);
  EXPECT_GT(figures(calm).pins, 1u);
  EXPECT_GT(figures(calm).log_ins, 10u);
  EXPECT_EQ(figures(calm).lost, 0u);
  EXPECT_EQ(calm.most_sessions, 2);
  EXPECT_EQ(broken(busy), "");
  EXPECT_GT(busy.waits.count, 500u);
  EXPECT_GT(busy.waits.max, 10ms);
  EXPECT_EQ(busy.callers().failed, 0u);
}

// What a client leaves is not cleared.
class ClearsNothing final : public Tampering {
 public:
  postgres::ServerProfile profile(postgres::ServerProfile honest) override {
    honest.reset_statements.clear();
    honest.reset_parts.clear();
    return honest;
  }
};

TEST(BrokenProxiesTest, WhatAnotherClientLeftIsSeen) {
  ClearsNothing tampering;
  Scenario scenario = calm_world();
  scenario.services.front().proxy.on_session_state = proxy::OnSessionState::allow;

  EXPECT_EQ(broken(run(scenario)), "");
  expect_broken(run(scenario, tampering), Promise::clean, "is in a session with");
}

// A cancel seems to be done at once, and arrives some time later.
class LateCancel final : public MeddledStream {
 public:
  LateCancel(std::unique_ptr<ByteStream> honest, Scheduler& scheduler)
      : MeddledStream(std::move(honest)), scheduler_(scheduler) {}

  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override {
    if (!is_cancel(pieces)) co_return co_await honest_->write(pieces, deadline);
    start_detached(scheduler_,
                   deliver(scheduler_, std::move(honest_), std::string(text_of(pieces[0]))));
    co_return Result<void>();
  }
  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    if (honest_ == nullptr) co_return std::size_t{0};
    co_return co_await honest_->read(into, deadline);
  }

 private:
  // By then the object is gone.
  static Task<void> deliver(Scheduler& scheduler, std::unique_ptr<ByteStream> stream,
                            std::string bytes) {
    co_await sleep_for(scheduler, 30ms);
    const ConstBytes piece = std::as_bytes(std::span(bytes));
    const auto written = co_await stream->write(std::span(&piece, 1), kNever);
    std::array<std::byte, 16> scrap;
    const auto read = co_await stream->read(Bytes(scrap), kNever);
    static_cast<void>(written && read);  // only what they did to the server counts
  }

  Scheduler& scheduler_;
};

TEST(BrokenProxiesTest, ACancelThatHitsAnotherStatementIsSeen) {
  WithStreams<LateCancel> tampering;
  Scenario scenario = calm_world();
  scenario.services.front().proxy.cancels = 1;
  const RunResult honest = run(scenario);

  EXPECT_EQ(broken(honest), "");
  EXPECT_GT(figures(honest).cancelled, 5u);
  expect_broken(run(scenario, tampering), Promise::clean, "a cancel hit");
}

// One answer in many says something else.
class WrongWord final : public MeddledStream {
 public:
  WrongWord(std::unique_ptr<ByteStream> honest, Scheduler&) : MeddledStream(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    const Result<std::size_t> got = co_await honest_->read(into, deadline);
    if (!got) co_return got;
    const std::string_view bytes(reinterpret_cast<const char*>(into.data()), *got);
    const std::size_t at = bytes.find("SELECT 3");
    if (at != std::string_view::npos) into[at + 7] = std::byte{'4'};
    co_return got;
  }
};

TEST(BrokenProxiesTest, AnAnswerThatIsNotItsOwnIsSeen) {
  WithStreams<WrongWord> tampering;

  expect_broken(run(calm_world(), tampering), Promise::clean, "its own server would have said");
}

// Each connect opens a session beside the one that is counted.
class TwiceConnecting final : public Tampering {
 public:
  std::unique_ptr<Connector> links(std::unique_ptr<Connector> honest) override {
    return std::make_unique<Twice>(std::move(honest));
  }

 private:
  class Twice final : public Connector {
   public:
    explicit Twice(std::unique_ptr<Connector> honest) : honest_(std::move(honest)) {}
    Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                      Instant deadline) override {
      Result<std::unique_ptr<Connection>> more = co_await honest_->connect(password, deadline);
      if (more) kept_.push_back(std::move(*more));
      co_return co_await honest_->connect(password, deadline);
    }
    void close() override {
      kept_.clear();
      honest_->close();
    }

   private:
    std::unique_ptr<Connector> honest_;
    std::vector<std::unique_ptr<Connection>> kept_;
  };
};

TEST(BrokenProxiesTest, OneSessionTooManyIsSeen) {
  TwiceConnecting tampering;
  Scenario scenario = calm_world();
  scenario.database.connect_burst = 100;

  expect_broken(run(scenario, tampering), Promise::cap, "the server");
}

// Leases that no store knows of.
class WithoutLeases final : public Tampering {
 public:
  LeaseSource* leases(LeaseSource*) override { return nullptr; }
};

Scenario leased_world() {
  Scenario scenario = busy_world();
  scenario.services.front().replicas = 2;
  scenario.database.max_connections = 3;
  scenario.coordination.lease_ttl = 4s;
  scenario.coordination.request_timeout = 1s;
  return scenario;
}

TEST(BrokenProxiesTest, ASessionWithoutALeaseIsSeen) {
  WithoutLeases tampering;

  EXPECT_EQ(broken(run(leased_world())), "");
  expect_broken(run(leased_world(), tampering), Promise::leases, "leases for 0");
}

// Reapers who do not wait until the server has missed the dead.
class ReapsInHaste final : public Tampering {
 public:
  ClusterOptions cluster(ClusterOptions honest) override {
    honest.session_linger = 0s;
    return honest;
  }
};

// Statements go on for as long as the server does not look for whoever asked.
TEST(BrokenProxiesTest, ALeaseOfADeadProxyThatIsReapedTooEarlyIsSeen) {
  Scenario scenario = leased_world();
  scenario.duration = 40s;
  scenario.database.misses_client_after = 15s;
  scenario.services.front().proxy.statements = 1;
  scenario.services.front().proxy.statement_time = 20s;
  FaultSpec crash;
  crash.kind = FaultKind::crash;
  crash.at = 8s;
  crash.services = {"proxy-1"};
  scenario.faults.push_back(crash);
  ReapsInHaste tampering;

  const RunResult honest = run(scenario);
  EXPECT_EQ(broken(honest), "");
  EXPECT_EQ(honest.cluster.back().leases, honest.cluster.back().sessions);
  expect_broken(run(scenario, tampering), Promise::leases, "all leases are");
}

// A rate that everybody has to himself.
class AnyTime final : public Tampering, private PermitSource {
 public:
  PermitSource* permits(PermitSource*, Scheduler& scheduler) override {
    scheduler_ = &scheduler;
    return this;
  }

 private:
  Task<Result<Instant>> reserve(Instant) override { co_return scheduler_->now(); }
  void give_back(Instant) override {}

  Scheduler* scheduler_ = nullptr;
};

TEST(BrokenProxiesTest, ConnectsAboveTheRateAreSeen) {
  AnyTime tampering;
  Scenario scenario = calm_world();
  scenario.database.connects_per_second = 5;
  scenario.database.connect_burst = 1;

  expect_broken(run(scenario, tampering), Promise::rate, "too early");
}

// Each cancel is sent a second time, over a stream of its own.
class TwiceCancelling final : public MeddledStream {
 public:
  TwiceCancelling(std::unique_ptr<ByteStream> honest, Scheduler&, StreamNetwork& network)
      : MeddledStream(std::move(honest)), network_(network) {}

  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override {
    if (!is_cancel(pieces)) co_return co_await honest_->write(pieces, deadline);
    auto second = co_await network_.connect(StreamAddress::tcp("db", 5432), Until(deadline));
    if (second) static_cast<void>(co_await (*second)->write(pieces, deadline));
    co_return co_await honest_->write(pieces, deadline);
  }

 private:
  StreamNetwork& network_;
};

TEST(BrokenProxiesTest, ACancelThatTakesNoPlaceInTheRateIsSeen) {
  WithStreams<TwiceCancelling> tampering;
  Scenario scenario = calm_world();
  scenario.database.connects_per_second = 5;
  scenario.database.connect_burst = 1;
  scenario.services.front().proxy.cancels = 1;

  EXPECT_EQ(broken(run(scenario)), "");
  expect_broken(run(scenario, tampering), Promise::rate, "too early");
}

// Connections live longer than they may.
class LongLives final : public Tampering {
 public:
  PoolOptions options(PoolOptions honest) override {
    honest.lifetime = 1h;
    return honest;
  }
};

TEST(BrokenProxiesTest, ASessionThatIsTooOldIsSeen) {
  LongLives tampering;
  Scenario scenario = busy_world();
  scenario.services.front().base_lifetime = 3s;

  EXPECT_EQ(broken(run(scenario)), "");
  expect_broken(run(scenario, tampering), Promise::freshness, "old");
}

// Somebody between the proxy and those who watch how its clients wait for servers.
class MeddledObserver : public Observer {
 public:
  MeddledObserver(Observer& honest, Scheduler& scheduler)
      : honest_(honest), scheduler_(scheduler) {}
  void on_begin(const ObservedCall& call) noexcept override { honest_.on_begin(call); }
  void on_end(const ObservedCall& call, Duration took, const Error* error) noexcept override {
    honest_.on_end(call, took, error);
  }
  void note_route(proxy::Route& route) { route_ = &route; }

 protected:
  Observer& honest_;
  Scheduler& scheduler_;
  proxy::Route* route_ = nullptr;
};

template <class Meddler>
class WithObserver final : public Tampering {
 public:
  Observer& observer(Observer& honest, Scheduler& scheduler) override {
    return meddlers_.emplace_back(honest, scheduler);
  }
  void note_route(proxy::Route& route) override { meddlers_.back().note_route(route); }

 private:
  std::list<Meddler> meddlers_;
};

// Every second client that had to wait lets the next one go first.
class LetsOthersPass final : public MeddledObserver {
 public:
  using MeddledObserver::MeddledObserver;
  void on_end(const ObservedCall& call, Duration took, const Error* error) noexcept override {
    if (error == nullptr && took > Duration::zero() && !polite_) {
      polite_ = call;
      return;
    }
    honest_.on_end(call, took, error);
    if (polite_) honest_.on_end(*std::exchange(polite_, std::nullopt), took, nullptr);
  }

 private:
  std::optional<ObservedCall> polite_;
};

TEST(BrokenProxiesTest, AClientThatOvertakesTheLineIsSeen) {
  WithObserver<LetsOthersPass> tampering;

  expect_broken(run(busy_world(), tampering), Promise::order, "served before one who has waited");
}

// What is ready is taken away before a client can have it, and comes back a moment later.
class TakesWhatIsReady final : public MeddledObserver {
 public:
  using MeddledObserver::MeddledObserver;
  void on_begin(const ObservedCall& call) noexcept override {
    honest_.on_begin(call);
    for (auto taken = route_->pool().try_acquire(); taken; taken = route_->pool().try_acquire())
      start_detached(scheduler_, keep(scheduler_, std::move(*taken)));
  }

 private:
  static Task<void> keep(Scheduler& scheduler, PooledConnection taken) {
    co_await sleep_for(scheduler, 2ms);
    taken.give_back();
  }
};

TEST(BrokenProxiesTest, AClientThatWaitsThoughSomethingIsReadyIsSeen) {
  WithObserver<TakesWhatIsReady> tampering;

  expect_broken(run(busy_world(), tampering), Promise::never_blocks, "were ready when it asked");
}

// The proxy lets clients wait longer than it was told.
class WaitsTooLong final : public Tampering {
 public:
  proxy::RouteOptions route(proxy::RouteOptions honest) override {
    honest.limits.query_wait += 1s;
    return honest;
  }
};

TEST(BrokenProxiesTest, AClientThatIsNotAnsweredInTimeIsSeen) {
  WaitsTooLong tampering;
  Scenario scenario = busy_world();
  scenario.services.front().proxy.query_wait = 100ms;
  scenario.services.front().proxy.statement_time = 300ms;

  const RunResult honest = run(scenario);
  EXPECT_EQ(broken(honest), "");
  EXPECT_GT(figures(honest).unserved, 10u);
  expect_broken(run(scenario, tampering), Promise::every_waiter_ends, "by its deadline");
}

// Some answers never arrive.
class Swallowing final : public MeddledStream {
 public:
  Swallowing(std::unique_ptr<ByteStream> honest, Scheduler&) : MeddledStream(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    for (;;) {
      const Result<std::size_t> got = co_await honest_->read(into, deadline);
      if (!got || *got == 0 || read_ < 20'000) {
        if (got) read_ += *got;
        co_return got;
      }
    }
  }

 private:
  std::size_t read_ = 0;
};

TEST(BrokenProxiesTest, AClientThatIsNeverAnsweredIsSeen) {
  WithStreams<Swallowing> tampering;
  Scenario scenario = calm_world();
  scenario.duration = 20s;

  expect_broken(run(scenario, tampering), Promise::supply, "has had no answer");
}

}  // namespace
}  // namespace forebay::sim
