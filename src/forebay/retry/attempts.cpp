#include "forebay/retry/attempts.hpp"

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/detail/env/thread_parker.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/retry/operation_metrics.hpp"
#include "forebay/retry/retry_decision.hpp"

namespace forebay {

AttemptBook::AttemptBook(const RetryOptions& options, Random& random, Instant deadline, Instant now)
    : options_(options),
      random_(random),
      deadline_(deadline),
      started_(now),
      metrics_(options.metrics ? &options.metrics->operation(options.operation) : nullptr),
      verdict_(Verdict::retry) {}

int AttemptBook::begin(Instant now) {
  FOREBAY_CHECK(verdict_ == Verdict::retry, "an attempt after the last one");
  attempt_started_ = now;
  if (metrics_ != nullptr) metrics_->begin_attempt();
  ++number_;
  if (span_ && *span_) {
    const std::string_view context = options_.trace_context;
    span_->begin(ObservedStep::attempt, context.empty() ? TraceScope::current() : context,
                 options_.operation, number_);
  }
  return number_;
}

std::optional<Instant> AttemptBook::end(const Error* error, Instant now) {
  ended_ = now;
  RetryDecision decision;
  AttemptReport report;
  if (error != nullptr) {
    const ErrorClass error_class = error->error_class();
    const RetryRules rules{options_.policy, options_.is_idempotent, deadline_};
    decision = decide_retry(rules, FailedAttempt{number_, error_class, now}, random_);
    report.error_class = error_class;
    if (error_class == ErrorClass::unknown_outcome && !unknown_attempt_) unknown_attempt_ = number_;
    if (metrics_ != nullptr) metrics_->fail(error_class, decision, now - started_);
  } else if (metrics_ != nullptr) {
    metrics_->succeed(now - started_);
  }
  verdict_ = decision.verdict;
  const bool is_again = verdict_ == Verdict::retry;
  if (options_.on_attempt) {
    report.operation = options_.operation;
    report.number = number_;
    report.error = error;
    report.duration = now - attempt_started_;
    if (is_again) report.backoff = decision.pause;
    options_.on_attempt(report);
  }
  if (span_ && *span_) span_->end(error);
  if (!is_again) return std::nullopt;
  return now + decision.pause;
}

Error AttemptBook::final_error(const Error& last) const {
  Error error = with_attempts(last);
  if (!unknown_attempt_ || error.code() == Errc::unknown_outcome) return error;
  return Error(
      Errc::unknown_outcome, ErrorClass::unknown_outcome,
      fmt::format("attempt {} of \"{}\" may have been applied or not, and attempt {}, the "
                  "last, failed; look before you run it again ({}: {})",
                  *unknown_attempt_, options_.operation, number_, name(error.code()), error.text()),
      error.sqlstate());
}

void detail::stop_thread_until(Instant time) {
  ThreadParker parker;
  parker.park_until(time);
}

Error AttemptBook::with_attempts(const Error& last) const {
  const auto with = [&last](std::string_view more) {
    return last.with_text(fmt::format("{} ({})", last.text(), more));
  };
  const std::string so_far = fmt::format("{} attempt{} in {}", number_, number_ == 1 ? "" : "s",
                                         readable_time(ended_ - started_));
  if (verdict_ == Verdict::exhausted) {
    return with(
        fmt::format("gave up after {}: max_retries is {}", so_far, options_.policy.max_retries));
  }
  if (verdict_ == Verdict::too_late) {
    return with(fmt::format("gave up after {}: the deadline leaves no time for another", so_far));
  }
  return last;
}

}  // namespace forebay
