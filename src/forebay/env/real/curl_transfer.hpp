// CurlTransfer: one HTTP request on its way through libcurl, and what came of it.
//
// Shared by the task that waits and by the transport's thread. The task makes it and reads the
// outcome once `done` was notified; everything in between belongs to the thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <curl/curl.h>

#include "forebay/env/http.hpp"
#include "forebay/env/real/curl_settings.hpp"
#include "forebay/env/signal.hpp"

namespace forebay::real {

class CurlTransfer {
 public:
  // More than any answer that we ask for; a server gone wild must not fill the memory.
  static constexpr std::size_t kLargestResponse = std::size_t{16} << 20;

  CurlTransfer(Scheduler& scheduler, HttpRequest request, Instant deadline);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // Whether libcurl can send it at all: looks at method, URL and headers. Names the server.
  Result<void> check();

  // For the transport's thread. Nothing: libcurl has no memory, and the outcome says so.
  CURL* prepare(const CurlSettings& settings);
  // Notes what libcurl says; then the task may go on.
  void finish(CURLcode code);
  void finish(Errc code, std::string text);

  Error late_error() const;  // for the task whose deadline has passed
  const std::string& server() const { return server_; }

  Signal done;
  Result<HttpResponse> outcome;

 private:
  struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static std::size_t take_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t take_body(char* data, std::size_t size, std::size_t count, void* self);
  static int before_sending(void* self, char*, char*, int, int);

  void set_route(const CurlSettings& settings);
  void set_request();
  bool add_headers();
  bool add_header(const std::string& line);
  void set_limits();
  Error error_of(CURLcode code) const;

  Scheduler& scheduler_;
  const HttpRequest request_;
  const Instant start_;
  const Instant deadline_;
  std::string server_;  // host and port, for people
  std::string host_;    // without brackets
  bool is_tls_ = false;

  std::unique_ptr<CURL, EasyDeleter> easy_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::string error_text_;  // libcurl writes here
  HttpResponse response_;
  std::size_t received_ = 0;
  bool is_too_large_ = false;
  // How often a connection was ready for the request. From one on, bytes may have gone out. Read by
  // the task too, for a text only: it need not be exact.
  std::atomic<int> sends_{0};
};

}  // namespace forebay::real
