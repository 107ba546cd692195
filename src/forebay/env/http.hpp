// HttpTransport: how code sends a request over HTTP. Real and simulated transports behave alike.
//
// Any answer of a server is a response, whatever its status; an error means that there was none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class HttpHeader {
 public:
  HttpHeader(std::string header_name, std::string header_value)
      : name(std::move(header_name)), value(std::move(header_value)) {}

  std::string name;
  std::string value;
};

// Has constructors because coroutines take it by value.
class HttpRequest {
 public:
  HttpRequest(std::string verb, std::string address)
      : method(std::move(verb)), url(std::move(address)) {}

  // The first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;

  std::string method;  // "GET", "POST" ...
  std::string url;     // with scheme and host; encoded already
  std::vector<HttpHeader> headers;
  std::string body;
};

class HttpResponse {
 public:
  explicit HttpResponse(int code) : status(code) {}

  // The first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;

  int status;
  std::vector<HttpHeader> headers;
  std::string body;
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // For tasks of the scheduler. Never answers later than the deadline. Errors: connect_failed (the
  // server was not reached, nothing was sent), timed_out and connection_lost (nobody knows whether
  // the server did what was asked), invalid (the request cannot be sent), closed.
  virtual Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) = 0;
};

}  // namespace forebay
