#include "forebay/aws/credentials/http_tries.hpp"

#include <algorithm>

#include "forebay/env/sleep.hpp"

namespace forebay::aws {
namespace {

bool is_worth_another(const Result<HttpResponse>& result) {
  if (result) return result->status == 429 || result->status >= 500;
  const Errc code = result.error().code();
  return code == Errc::connect_failed || code == Errc::connection_lost || code == Errc::timed_out;
}

}  // namespace

Task<Result<HttpResponse>> send_in_tries(AwsEnv env, HttpRequest request, Tries tries,
                                         Instant deadline) {
  Scheduler& scheduler = env.env.scheduler;
  for (int number = 1;; ++number) {
    const Instant end = std::min(deadline, deadline_after(scheduler.now(), tries.timeout));
    Result<HttpResponse> result = co_await env.send(request, end);
    if (number >= tries.count || !is_worth_another(result)) co_return result;
    const Duration longest = tries.pause * (1 << std::min(number - 1, 10));
    const Duration pause = env.env.random.between(longest / 2, longest);
    if (deadline_after(scheduler.now(), pause) >= deadline) co_return result;
    co_await sleep_for(scheduler, pause);
  }
}

}  // namespace forebay::aws
