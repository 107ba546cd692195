// ScriptedHttp: an HttpTransport for virtual time. A handler answers, after a delay, and all
// requests are recorded.
//
// A request reaches the handler at once; only the answer takes time. So a request that times out
// was done nevertheless, which is the harder case. The handler may change the delay of its own
// answer. An error from the handler is what send() ends with, after the delay.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/env/http.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::test {

class ScriptedHttp final : public HttpTransport {
 public:
  using Handler = std::function<Result<HttpResponse>(const HttpRequest& request)>;

  explicit ScriptedHttp(Scheduler& scheduler, Handler answer = {})
      : handler(std::move(answer)), scheduler_(scheduler) {}

  Handler handler;                    // none: nobody listens
  Duration delay{};                   // kNoAnswer: the server hangs
  std::vector<HttpRequest> requests;  // in order of their arrival
  int in_flight = 0;

  static constexpr Duration kNoAnswer = Duration::max();

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override {
    requests.push_back(request);
    Result<HttpResponse> answer = failure(Errc::connect_failed, "nobody listens");
    if (handler) answer = handler(request);
    const Instant arrival = deadline_after(scheduler_.now(), delay);
    ++in_flight;
    co_await sleep_until(scheduler_, std::min(arrival, deadline));
    --in_flight;
    if (arrival > deadline || deadline < scheduler_.now())
      co_return failure(Errc::timed_out, "no answer by the deadline");
    co_return answer;
  }

 private:
  Scheduler& scheduler_;
};

// A response with a body.
inline HttpResponse response(int status, std::string body) {
  HttpResponse answer(status);
  answer.body = std::move(body);
  return answer;
}

}  // namespace forebay::test
