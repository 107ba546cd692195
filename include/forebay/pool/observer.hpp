// Observer: is told of every wait of a pool's users, before and after: for a session, for a
// statement, and for an attempt of a transaction, of which all but the first are retries. For
// traces; metrics count without it.
//
//   class Spans final : public Observer {
//     void on_end(const ObservedCall& call, Duration time, const Error* error) noexcept override;
//   };
//   PoolOptions options;
//   options.observer = &spans;
//
// A call is told in the name of a trace context, whatever the caller says it is: the traceparent of
// a request, say. Threads say it with a TraceScope, tasks with Until::traced() or
// TransactionOptions::trace_context; Boost.Asio's operations take that of the scope in which they
// are made.
//
// Hooks run where the call runs: on the caller's thread, or on a loop, which they must not block,
// and on several threads at once. An observer outlives the pools that know it. Without one, each
// place costs one branch; with one, the library allocates nothing for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

enum class ObservedStep : std::uint8_t {
  acquire,  // waiting for a session
  // Until its last row. BEGIN and COMMIT are statements too, unless they travel with another; so is
  // COPY. A batch is told by its first statement.
  statement,
  attempt,  // of a transaction: its acquire and its statements are told within it
};
std::string_view name(ObservedStep step);

// Views live as long as the call of the hook.
struct ObservedCall {
  std::uint64_t id = 0;  // the same before and after; no other call of the process has it
  ObservedStep step = ObservedStep::acquire;
  std::string_view pool;           // its name; "tenants" for those of all of them
  std::string_view trace_context;  // as the caller set it; empty: it did not
  // The SQL of a statement, the operation of a transaction, the tenant whose session is awaited.
  std::string_view subject;
  int attempt = 0;  // of a transaction, from 1; of others 0
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_begin(const ObservedCall&) noexcept {}
  // error is null if the call succeeded. Of an attempt that will be made again, too, it is what
  // went wrong.
  virtual void on_end(const ObservedCall&, Duration, const Error*) noexcept {}
};

// Who observes what is done in a pool's name.
struct Observation {
  Observer* observer = nullptr;  // null: nobody
  std::string pool;
};

// The trace context of what this thread does in blocking form, and of the operations of Boost.Asio
// that it makes, until its end; scopes nest. The text outlives it. Not for coroutines, which share
// their thread with others.
class TraceScope {
 public:
  explicit TraceScope(std::string_view context);
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope();

  static std::string_view current();  // empty: there is none

 private:
  const std::string_view before_;
};

}  // namespace forebay
