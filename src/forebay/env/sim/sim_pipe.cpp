#include "forebay/env/sim/sim_pipe.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay::sim {

std::size_t SimPipe::put(ConstBytes bytes, Instant now) {
  FOREBAY_CHECK(!is_broken_ && !bytes.empty());
  const std::size_t room = options_.capacity - inside_;
  const std::uint64_t until_break = breaks_after_ - put_so_far_;
  const std::size_t fits = std::min(room, bytes.size());
  if (fits == 0) return 0;
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(some_of(fits), until_break));
  Part part;
  part.arrives = arrival(now);
  part.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  parts_.push_back(std::move(part));
  inside_ += count;
  put_so_far_ += count;
  if (put_so_far_ == breaks_after_) is_broken_ = true;
  return count;
}

std::size_t SimPipe::take(Bytes into, Instant now) {
  std::size_t there = 0;
  for (const Part& part : parts_) {
    if (part.arrives > now || there >= into.size()) break;
    there += part.bytes.size() - part.taken;
  }
  if (there == 0) return 0;
  std::size_t wanted = some_of(std::min(there, into.size()));
  const std::size_t count = wanted;
  std::byte* out = into.data();
  while (wanted > 0) {
    Part& part = parts_.front();
    const std::size_t step = std::min(wanted, part.bytes.size() - part.taken);
    out = std::copy_n(part.bytes.data() + part.taken, step, out);
    part.taken += step;
    wanted -= step;
    if (part.taken == part.bytes.size()) parts_.pop_front();
  }
  inside_ -= count;
  return count;
}

Instant SimPipe::next_arrival() const {
  if (!parts_.empty()) return parts_.front().arrives;
  return ends_.value_or(kNever);
}

void SimPipe::finish(Instant now) {
  if (!ends_) ends_ = arrival(now);
}

void SimPipe::break_now() {
  is_broken_ = true;
  parts_.clear();
  inside_ = 0;
}

void SimPipe::break_after(std::uint64_t bytes) {
  FOREBAY_CHECK(bytes >= put_so_far_);
  breaks_after_ = bytes;
  if (put_so_far_ == breaks_after_) is_broken_ = true;
}

bool SimPipe::has_ended(Instant now) const { return parts_.empty() && ends_ && *ends_ <= now; }

bool SimPipe::has_broken_off() const { return parts_.empty() && is_broken_; }

Instant SimPipe::arrival(Instant now) {
  if (is_silent_) return kNever;
  const Duration delay = random_.between(options_.least_delay, options_.most_delay);
  last_arrival_ = std::max(last_arrival_, now + delay);
  return last_arrival_;
}

std::size_t SimPipe::some_of(std::size_t most) {
  return options_.is_choppy ? 1 + static_cast<std::size_t>(random_.below(most)) : most;
}

}  // namespace forebay::sim
