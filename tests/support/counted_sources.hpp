// What the gate takes before a connect, counted and written down step by step; any step fails when
// told.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/pool/admission.hpp"
#include "forebay/pool/token_source.hpp"

namespace forebay::test {

// What happened, in order, and which step fails: asked with its kind and its number, from 1.
struct StepLog {
  std::vector<std::string> steps;
  std::function<bool(const std::string& kind, int number)> fails;

  int count(const std::string& kind) const {
    int sum = 0;
    for (const std::string& step : steps) sum += step == kind ? 1 : 0;
    return sum;
  }
  bool note(const std::string& kind) {
    steps.push_back(kind);
    return fails && fails(kind, count(kind));
  }
};

class CountedLeases final : public LeaseSource {
 public:
  explicit CountedLeases(StepLog& log, int most = 1000) : log_(log), most_(most) {}
  Task<Result<Lease>> acquire(Instant) override {
    const bool is_failing = log_.note("lease");
    if (is_failing || out >= most_) co_return failure(Errc::limit_reached, "the cluster is full");
    ++out;
    co_return Lease(*this);
  }
  int out = 0;
  std::function<bool()> has_ended;  // none: they stand for ever

 private:
  void give_back() noexcept override {
    log_.note("lease back");
    --out;
  }
  bool stands(std::uint64_t) const override { return !has_ended || !has_ended(); }
  StepLog& log_;
  const int most_;
};

// "token1", "token2" ...: the same until it is rejected.
class CountedTokens final : public TokenSource {
 public:
  explicit CountedTokens(StepLog& log) : log_(log) {}
  Task<Result<std::string>> token(Instant) override {
    if (log_.note("token")) co_return failure(Errc::refused, "no credentials");
    co_return "token" + std::to_string(number_);
  }
  void reject(const std::string& token) override {
    log_.note("reject " + token);
    if (token == "token" + std::to_string(number_)) ++number_;
  }

 private:
  StepLog& log_;
  int number_ = 1;
};

// Each starts one interval after it was asked for.
class CountedPermits final : public PermitSource {
 public:
  CountedPermits(StepLog& log, const Scheduler& scheduler) : log_(log), scheduler_(scheduler) {}
  Task<Result<Instant>> reserve(Instant) override {
    if (log_.note("permit")) co_return failure(Errc::timed_out, "nobody knows");
    co_return scheduler_.now() + interval;
  }
  void give_back(Instant) override { log_.note("permit back"); }

  Duration interval = std::chrono::milliseconds(10);

 private:
  StepLog& log_;
  const Scheduler& scheduler_;
};

}  // namespace forebay::test
