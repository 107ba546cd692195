// The coordination store in memory: MemoryCoordination, the model that says what each request does,
// and MemoryStore, which answers with it at once, for one process and for tests.
//
// Confined. The simulator puts delay, lost replies and outages between the model and its callers.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/coordination/rate/rate_bucket.hpp"
#include "forebay/coordination/rate/rate_store.hpp"
#include "forebay/coordination/rate/rate_window.hpp"

namespace forebay {

class MemoryCoordination {
 public:
  // For how long a token of take() is remembered, by the furthest time any caller has brought.
  static constexpr Duration kTokenMemory = std::chrono::minutes(10);

  explicit MemoryCoordination(RateLimits limits = {});

  AcquireReply acquire(const AcquireRequest& request);
  ReleaseReply release(const ReleaseRequest& request);
  RenewReply renew(const RenewRequest& request);
  LeaseListing list() const;  // ordered by id
  ReapReply reap(const ReapRequest& request);
  RecountReply recount(const RecountRequest& request);
  TakeReply take(const TakeRequest& request);

  // For checks.
  int active() const { return active_; }
  int held_in_all() const;                      // active(), unless it was recounted
  int held(const std::string& lease_id) const;  // 0 if there is no such lease
  std::size_t leases() const { return leases_.size(); }
  std::uint64_t places() const { return places_; }  // given out in all

 private:
  struct Entry {
    std::string service;
    int held = 0;
    std::uint64_t sequence = 0;
    std::uint64_t version = 0;
    LeaseClaim claim;
    Duration reap_after{};
    WallTime created_at{};
    WallTime renewed_at{};
  };
  struct TokenHash {
    std::size_t operator()(const RequestToken& token) const { return token.low; }
  };
  void lower(int connections);
  TakeReply give_places(const TakeRequest& request);
  void forget_tokens();

  int active_ = 0;
  std::uint64_t changes_ = 0;  // of the counter
  std::map<std::string, Entry> leases_;
  std::optional<RateWindow> window_;  // none: the mode is bucket
  const RateBucket bucket_;
  RateBucket::State bucket_state_;
  WallTime latest_ = WallTime::min();  // that any caller has brought
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
  Task<Result<LeaseListing>> list(Instant deadline) override;
  Task<Result<ReapReply>> reap(ReapRequest request, Instant deadline) override;
  Task<Result<RecountReply>> recount(RecountRequest request, Instant deadline) override;
  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  MemoryCoordination& model_;
};

}  // namespace forebay
