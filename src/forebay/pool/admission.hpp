// What a connect needs beyond this process's own approval: the cluster's word that one more may
// exist (a lease), and that it may start now (a permit).
//
// A pool that shares its limits with nobody has no lease source, and a pacer of its own for
// permits. All calls come from tasks of the pool's scheduler.
#pragma once

#include <cstdint>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/core/connect_pacer.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class LeaseSource;

// The cluster's room for one connection. Move-only; its destructor gives it back, in memory:
// telling the cluster is background work of the source.
class Lease {
 public:
  Lease() = default;  // holds nothing
  // The term is the source's own: by it the source knows later on what this lease was part of.
  explicit Lease(LeaseSource& source, std::uint64_t term = 0) : source_(&source), term_(term) {}
  Lease(Lease&& other) noexcept
      : source_(std::exchange(other.source_, nullptr)), term_(other.term_) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(term_, other.term_);
    return *this;
  }
  ~Lease();

  explicit operator bool() const { return source_ != nullptr; }
  // Whether a connection may still be opened on it. One that is open stays, whatever the answer.
  bool stands() const;

 private:
  LeaseSource* source_ = nullptr;
  std::uint64_t term_ = 0;
};

class LeaseSource {
 public:
  virtual ~LeaseSource() = default;
  // A lease, or why there is none: limit_reached (the cluster is full), timed_out or connect_failed
  // (nobody could say), closed. Never later than the deadline.
  virtual Task<Result<Lease>> acquire(Instant deadline) = 0;

 protected:
  friend class Lease;
  virtual void give_back() noexcept = 0;
  // Asked between a lease and its connect, which may be long after: others may have it by now.
  // From memory and the clock alone.
  virtual bool stands(std::uint64_t term) const = 0;
};

inline Lease::~Lease() {
  if (source_ != nullptr) source_->give_back();
}

inline bool Lease::stands() const { return source_ == nullptr || source_->stands(term_); }

class PermitSource {
 public:
  virtual ~PermitSource() = default;
  // When the connect may start, now or later; or why nobody can say. Never answers later than the
  // deadline, though the start it names may lie beyond it.
  virtual Task<Result<Instant>> reserve(Instant deadline) = 0;
  // How long a need should have lasted before it is worth asking. A source that has to ask others,
  // at a price, does not want to hear of connections that are back in a moment.
  virtual Duration settling_time() const { return Duration::zero(); }
  // The permit for that start is not used after all.
  virtual void give_back(Instant start) = 0;
};

// Permits of a pacer in this process.
class LocalPermits final : public PermitSource {
 public:
  LocalPermits(const Scheduler& scheduler, ConnectPacer& pacer)
      : scheduler_(scheduler), pacer_(pacer) {}
  Task<Result<Instant>> reserve(Instant) override { co_return pacer_.take(scheduler_.now()); }
  void give_back(Instant start) override { pacer_.give_back(start); }

 private:
  const Scheduler& scheduler_;
  ConnectPacer& pacer_;
};

}  // namespace forebay
