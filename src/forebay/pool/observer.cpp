#include "forebay/pool/observer.hpp"

#include <atomic>
#include <utility>

#include "forebay/detail/pool/observed_span.hpp"

namespace forebay {
namespace {

thread_local std::string_view current_context;

// Relaxed: ids differ, and say nothing of order.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::string_view name(ObservedStep step) {
  switch (step) {
    case ObservedStep::acquire: return "acquire";
    case ObservedStep::statement: return "statement";
    case ObservedStep::attempt: return "attempt";
  }
  std::unreachable();
}

TraceScope::TraceScope(std::string_view context)
    : before_(std::exchange(current_context, context)) {}

TraceScope::~TraceScope() { current_context = before_; }

std::string_view TraceScope::current() { return current_context; }

void detail::ObservedSpan::begin(ObservedStep step, std::string_view context,
                                 std::string_view subject, int attempt) {
  call_.id = next_id();
  call_.step = step;
  call_.pool = observation_.pool;
  call_.trace_context = context;
  call_.subject = subject;
  call_.attempt = attempt;
  begun_ = scheduler_.now();
  observation_.observer->on_begin(call_);
}

void detail::ObservedSpan::end(const Error* error) {
  observation_.observer->on_end(call_, scheduler_.now() - begun_, error);
}

}  // namespace forebay
