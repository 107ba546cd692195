// DroppingHttp: a way to a server on which requests arrive and answers get lost, as told.
#pragma once

#include <string>
#include <utility>

#include "forebay/env/http.hpp"

namespace forebay::test {

class DroppingHttp final : public HttpTransport {
 public:
  explicit DroppingHttp(HttpTransport& way) : way_(way) {}

  bool is_dropping = false;
  std::string only;  // answers to requests with this in their body; empty: all
  int dropped = 0;

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override {
    const bool is_meant = request.body.find(only) != std::string::npos;
    Result<HttpResponse> answer = co_await way_.send(std::move(request), deadline);
    if (!is_dropping || !is_meant) co_return answer;
    ++dropped;
    co_return failure(Errc::connection_lost, "the connection was lost before the answer came");
  }

 private:
  HttpTransport& way_;
};

}  // namespace forebay::test
