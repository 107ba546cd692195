// Listener: hears what NOTIFY says on some channels, for as long as it lives, and says when it may
// have missed something. notify() says it.
//
//   auto listener = Listener::open(*pool, {"orders", "prices"});
//   for (;;) {
//     auto event = (*listener)->next_blocking(1min);
//     if (event && event->is_gap()) read_everything_again();
//
// It holds one session of the pool all the time, which counts as any other: against the cap, the
// rate, the leases. Before that session grows too old it is replaced. Both listen for a moment, and
// a notification of our own marks the place in the server's queue at which the new one takes over:
// nothing is missed and nothing comes twice. Where the pool has no second session in time, and
// after a lost connection, there is a gap, which is an event among the others: it comes when the
// channels are listened to again, so that who then looks for himself has seen everything.
//
// The first listening happens in open(). The task that listens runs on the first loop of the
// runtime. Events wait in a queue of a certain size; what comes when it is full is dropped, and
// told as a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "forebay/env/task.hpp"
#include "forebay/env/until.hpp"
#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/postgres/sql/notification.hpp"

namespace forebay::postgres {

struct ListenerOptions {
  std::size_t queue_size = 10'000;  // events that nobody has asked for yet
  // For a second session, and until it has taken over from the first.
  Duration handover_timeout = std::chrono::seconds(5);
};

// A notification, or a gap.
class ListenerEvent {
 public:
  explicit ListenerEvent(Notification notification) : notification_(std::move(notification)) {}
  explicit ListenerEvent(std::string why) : why_(std::move(why)) {}

  // Notifications may be missing before this place, and none after it.
  bool is_gap() const { return !notification_; }
  const std::string& why() const { return why_; }                      // of a gap
  const Notification& notification() const { return *notification_; }  // REQUIRES: it is no gap

 private:
  std::optional<Notification> notification_;
  std::string why_;
};

// Made, closed and destroyed on threads of the application, as its pool is, which outlives it.
class Listener {
 public:
  // Names of channels are taken literally, capital letters and all. Errc::invalid: there is none,
  // or the server is Aurora DSQL, which has no LISTEN. Else the errors of acquiring and of exec().
  static Result<std::unique_ptr<Listener>> open(
      PostgresPool& pool, std::vector<std::string> channels, const ListenerOptions& options = {},
      std::source_location from = std::source_location::current());
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();  // REQUIRES: nobody waits for an event

  // The next event, in the order of the server. Errc::timed_out: there was none in time.
  // Errc::closed: the listener or its pool was closed, and everything heard before has been told.
  // Plain for tasks of the first loop (Errc::invalid on others), blocking for threads.
  Task<Result<ListenerEvent>> next(Until until);
  Result<ListenerEvent> next_blocking(Duration timeout);

  // Ends the listening and every wait. May be called again.
  void close();

 private:
  Listener(PostgresPool& pool, std::vector<std::string> channels, const ListenerOptions& options,
           std::source_location from);

  bool is_over() const;
  Task<Result<void>> begin();
  Task<void> run();
  Task<void> end();
  Task<Result<void>> hear_until_due();
  Task<bool> hand_over();
  Task<void> listen_again(std::string why);
  Task<Result<PooledSession>> listening_session(Instant deadline);
  // Of the session that leaves, what comes before the mark counts; of the other, what comes after.
  enum class Side : std::uint8_t { before, after };
  Task<bool> read_to_mark(LibpqConnection& connection, std::string mark, Side side,
                          Instant deadline);
  void tell(Notification notification);
  void tell_gap(std::string why);

  PostgresPool& pool_;
  Scheduler& scheduler_;
  const std::vector<std::string> channels_;
  const ListenerOptions options_;
  const std::source_location from_;

  // Of tasks of the scheduler.
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Tells those who listen: at once, or within a transaction, when it is committed. The payload has
// fewer than 8,000 bytes.
Task<Result<void>> notify(PostgresPool& pool, std::string channel, std::string payload);
Result<void> notify_blocking(PostgresPool& pool, const std::string& channel,
                             const std::string& payload);
Task<Result<void>> notify(StatementScope& scope, std::string channel, std::string payload);
Result<void> notify_blocking(StatementScope& scope, const std::string& channel,
                             const std::string& payload);

}  // namespace forebay::postgres
