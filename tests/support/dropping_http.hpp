// DroppingHttp: a way to a server on which requests arrive and answers get lost, as told.
#pragma once

#include <utility>

#include "forebay/env/http.hpp"

namespace forebay::test {

class DroppingHttp final : public HttpTransport {
 public:
  explicit DroppingHttp(HttpTransport& way) : way_(way) {}

  bool is_dropping = false;
  int dropped = 0;

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override {
    Result<HttpResponse> answer = co_await way_.send(std::move(request), deadline);
    if (!is_dropping) co_return answer;
    ++dropped;
    co_return failure(Errc::connection_lost, "the connection was lost before the answer came");
  }

 private:
  HttpTransport& way_;
};

}  // namespace forebay::test
