#include "forebay/sim/dynamodb/sim_http.hpp"

#include <algorithm>

namespace forebay::sim::dynamodb {
namespace {

// What becomes of a request whose reply is lost.
enum class Loss : std::uint64_t { silence, reset, server_error, delay };
constexpr std::uint64_t kLosses = 4;

constexpr Duration kLongestDelay = std::chrono::seconds(10);

}  // namespace

HttpResponse Network::let_answer(int sender, const HttpRequest& request, Instant now) {
  sender_ = sender;
  HttpResponse response = service_.answer(request, time_at(now));
  sender_ = -1;
  if (on_answer_) on_answer_(sender, now, response);
  return response;
}

HttpResponse Network::arrive(int sender, const HttpRequest& request, Instant now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const auto late = delayed_.extract(delayed_.begin());
    let_answer(late.mapped().sender, late.mapped().request, late.key());
  }
  if (draws(faults_.throttled)) {
    const std::uint64_t kind = random_.next();
    return service_.answer_busy(request, kind, time_at(now));
  }
  return let_answer(sender, request, now);
}

void Network::delay(int sender, HttpRequest request, Instant now) {
  const Instant arrives = now + random_.between(Duration::zero(), kLongestDelay);
  delayed_.emplace(arrives, Delayed{sender, std::move(request)});
}

// There, the service's work, and back. What is answered too late is not answered.
Task<Result<HttpResponse>> SimHttp::send(HttpRequest request, Instant deadline) {
  if (death_.is_cancelled()) co_return failure(Errc::closed, "the process has died");
  ++network_.requests_;
  const Duration there = network_.draw_time() / 2;
  const Instant arrives = scheduler_.now() + there;
  if (there > Duration::zero()) co_await death_.wait_until(std::min(arrives, deadline));
  const bool is_lost_with_process = death_.is_cancelled() && network_.random_.below(2) == 0;
  if (arrives > deadline || is_cut_ || is_lost_with_process) {
    co_await death_.wait_until(deadline);
    co_return failure(Errc::timed_out, "DynamoDB does not answer");
  }
  if (network_.is_away_) co_return failure(Errc::connect_failed, "DynamoDB is away");

  const bool is_lost = network_.draws(network_.faults_.lost_replies);
  const Loss loss = is_lost ? static_cast<Loss>(network_.random_.below(kLosses)) : Loss::silence;
  if (is_lost && loss == Loss::delay) {
    network_.delay(sender_, std::move(request), scheduler_.now());
    co_await death_.wait_until(deadline);
    co_return failure(Errc::timed_out, "DynamoDB does not answer");
  }
  HttpResponse response = network_.arrive(sender_, request, scheduler_.now());
  const Duration back = network_.draw_time() / 2;
  const Instant answered = scheduler_.now() + back;
  if (answered > deadline || death_.is_cancelled() || (is_lost && loss == Loss::silence)) {
    co_await death_.wait_until(deadline);
    co_return failure(Errc::timed_out, "DynamoDB does not answer");
  }
  if (back > Duration::zero()) co_await death_.wait_until(answered);
  if (is_lost && loss == Loss::reset)
    co_return failure(Errc::connection_lost, "the connection to DynamoDB was reset");
  if (is_lost) co_return network_.service_.answer_broken(network_.time_at(scheduler_.now()));
  co_return response;
}

}  // namespace forebay::sim::dynamodb
