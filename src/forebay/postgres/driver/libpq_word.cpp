// LibpqConnection: who has the word on the socket, libpq or the dialogue, and waits for either.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/libpq_step.hpp"

namespace forebay::postgres {
namespace {

short poll_events(Need need) { return need == Need::readable ? POLLIN : POLLIN | POLLOUT; }

int poll_milliseconds(Duration left) {
  static constexpr Duration kLongest = std::chrono::hours(1);  // poll() counts in an int
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kLongest)).count());
}

}  // namespace

pg_conn* LibpqConnection::libpq() const {
  // In a child the socket is the parent's, whose thread may be waiting in it.
  if (!parts_->process.is_in_child()) parts_->dialogue.rest();
  return handle_.get();
}

// Where something may come unasked, libpq may have read a part of it.
Dialogue* LibpqConnection::dialogue() const {
  const bool is_known = parts_->statements->reads_texts() && !may_hear_unasked();
  if (is_known && !parts_->is_encrypted && !parts_->hears_unasked) return &parts_->dialogue;
  static_cast<void>(libpq());
  return nullptr;
}

bool LibpqConnection::may_hear_unasked() const {
  const wire::Leftovers left = parts_->leftovers;
  return parts_->is_shown_raw || left.has(wire::Leftover::channels) ||
         left.has(wire::Leftover::everything);
}

Result<void> LibpqConnection::wait_blocking(Need need, Duration at_most) {
  Dialogue& dialogue = parts_->dialogue;
  if (dialogue.is_underway() && need == Need::readable && at_most >= Dialogue::kReadSlice) {
    dialogue.read_blocking();
    return {};
  }
  pollfd waiting{};
  waiting.fd = PQsocket(handle_.get());
  waiting.events = poll_events(need);
  // Zero (an hour or the deadline has passed) and EINTR both mean: look again.
  if (::poll(&waiting, 1, poll_milliseconds(at_most)) >= 0 || errno == EINTR) return {};
  return failure(Errc::connection_lost, fmt::format("poll: {}", std::strerror(errno)));
}

bool LibpqConnection::is_answering() const {
  return parts_->dialogue.is_underway() || PQtransactionStatus(handle_.get()) == PQTRANS_ACTIVE;
}

// Whether the rest of the answer shows that the cancel has met it.
Task<Result<bool>> LibpqConnection::drain_cancelled(Instant deadline) {
  if (parts_->dialogue.is_underway()) {
    parts_->dialogue.drop_answer();
    const Result<void> heard = co_await drive(parts_->dialogue, deadline);
    if (!heard) co_return failure(heard.error());
    co_return parts_->dialogue.has_met_cancel();
  }
  LeftoverDrain drain(libpq());
  PQsetnonblocking(handle_.get(), 1);
  const Result<void> drained = co_await drive(drain, deadline);
  if (!drained) co_return failure(drained.error());
  co_return drain.has_met_cancel();
}

}  // namespace forebay::postgres
