// ClockNotingHttp: a transport that also notes what time the server thought it was, from the Date
// of its answers. Confined to the scheduler.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/aws/http_date.hpp"
#include "forebay/doctor/clock_check.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/wall_clock.hpp"

namespace forebay::doctor {

class ClockNotingHttp final : public HttpTransport {
 public:
  ClockNotingHttp(HttpTransport& http, WallClock& clock, std::string whose)
      : http_(http), clock_(clock), whose_(std::move(whose)) {}

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override {
    const WallTime before = clock_.now();
    Result<HttpResponse> response = co_await http_.send(std::move(request), deadline);
    if (response) note(response->header("date"), before);
    co_return response;
  }

  // Of the last answer that had one.
  const std::optional<ClockReading>& reading() const { return reading_; }

 private:
  void note(std::string_view date, WallTime before) {
    const std::optional<WallTime> theirs = aws::http_date(date);
    if (!theirs) return;
    reading_.emplace(whose_, *theirs);
    reading_->before = before;
    reading_->after = clock_.now();
    reading_->resolution = std::chrono::seconds(1);
  }

  HttpTransport& http_;
  WallClock& clock_;
  const std::string whose_;
  std::optional<ClockReading> reading_;
};

}  // namespace forebay::doctor
