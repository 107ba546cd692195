// The coordination store in memory: MemoryCoordination, the model that says what each request does,
// and MemoryStore, which answers with it at once, for one process and for tests.
//
// Confined. The simulator puts delay, lost replies and outages between the model and its callers.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/coordination/lease_store.hpp"
#include "forebay/coordination/rate_store.hpp"

namespace forebay {

struct RateLimits {
  double connects_per_second = 100;
  int burst = 1000;
  // No place is given out that starts further ahead than this, beyond the caller's notice.
  Duration horizon = std::chrono::seconds(1);
};

class MemoryCoordination {
 public:
  // For how long a token of take() is remembered, by the furthest time any caller has brought.
  static constexpr Duration kTokenMemory = std::chrono::minutes(10);

  explicit MemoryCoordination(RateLimits limits = {});

  AcquireReply acquire(const AcquireRequest& request);
  ReleaseReply release(const ReleaseRequest& request);
  RenewReply renew(const RenewRequest& request);
  std::vector<LeaseRecord> list() const;  // ordered by id
  ReapReply reap(const ReapRequest& request);
  TakeReply take(const TakeRequest& request);

  // For checks.
  int active() const { return active_; }
  int held_in_all() const;                      // the sum over the leases: always active()
  int held(const std::string& lease_id) const;  // 0 if there is no such lease
  std::size_t leases() const { return leases_.size(); }
  std::uint64_t places() const { return places_; }  // given out in all

 private:
  struct Entry {
    std::string service;
    int held = 0;
    std::uint64_t sequence = 0;
    std::uint64_t version = 0;
    WallTime expires_at{};
  };
  struct TokenHash {
    std::size_t operator()(const RequestToken& token) const { return token.low; }
  };
  TakeReply give_places(const TakeRequest& request);
  void forget_tokens();

  const Duration interval_;
  const Duration depth_;  // burst, as time
  const Duration horizon_;
  const int share_;  // of the places ahead, how many one request gets at most

  int active_ = 0;
  std::map<std::string, Entry> leases_;
  WallTime latest_ = WallTime::min();
  WallTime next_free_ = WallTime::min();
  std::uint64_t places_ = 0;
  std::unordered_map<RequestToken, TakeReply, TokenHash> replies_;  // never walked through
  std::deque<std::pair<WallTime, RequestToken>> tokens_;            // oldest first
};

class MemoryStore final : public LeaseStore, public RateStore {
 public:
  explicit MemoryStore(MemoryCoordination& model) : model_(model) {}

  Task<Result<AcquireReply>> acquire(AcquireRequest request, Instant deadline) override;
  Task<Result<ReleaseReply>> release(ReleaseRequest request, Instant deadline) override;
  Task<Result<RenewReply>> renew(RenewRequest request, Instant deadline) override;
  Task<Result<std::vector<LeaseRecord>>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  MemoryCoordination& model_;
};

}  // namespace forebay
