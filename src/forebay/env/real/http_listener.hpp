// HttpListener: answers HTTP requests on a port of its own, on a thread of its own: for metrics,
// probes and pages, not for traffic.
//
//   auto listener = HttpListener::open("127.0.0.1", 9464, [](const PageRequest& request) {
//     return PageResponse(200, "text/plain", "hello\n");
//   });
//
// One request is answered at a time. A caller that is slow to ask or to read is dropped after ten
// seconds, one that sends more than a request's worth at once; beyond 64 callers at a time the next
// is turned away. Long answers are compressed for callers who say that they understand gzip.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/http_page.hpp"

namespace forebay {

class HttpListener {
 public:
  // Called on the listener's thread, one at a time. It may block. What it throws becomes a 500.
  using Answer = std::function<PageResponse(const PageRequest&)>;

  // Port 0: any that is free. Errc::invalid: the address makes no sense; Errc::refused: it is taken
  // or may not be used, or the system gives no thread.
  static Result<std::unique_ptr<HttpListener>> open(const std::string& address, std::uint16_t port,
                                                    Answer answer);
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;
  ~HttpListener();  // waits for the answer under way, and hangs up

  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:9464"

 private:
  struct Parts;
  explicit HttpListener(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace forebay
