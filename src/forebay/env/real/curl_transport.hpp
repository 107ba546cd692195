// CurlTransport: HTTP over libcurl, on one thread of its own.
//
// send() is for tasks of the scheduler; the thread moves the bytes and posts the tasks back.
// Connections are kept and used again. Certificates are verified, redirects are not followed.
// A request that changes something is never sent twice. The deadline is kept by the scheduler, so
// not even a name server that hangs can make a caller late.
//
// The destructor ends requests that are under way with Errc::closed and joins the thread; the
// scheduler must still be running then. No send() may start once it has begun.
#pragma once

#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <curl/curl.h>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/http.hpp"
#include "forebay/env/real/curl_settings.hpp"
#include "forebay/env/real/curl_transfer.hpp"

namespace forebay::real {

class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(Scheduler& scheduler, CurlSettings settings = {});
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;
  ~CurlTransport() override;

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override;

 private:
  using Transfer = std::shared_ptr<CurlTransfer>;
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void submit(Transfer transfer) FOREBAY_EXCLUDES(mutex_);
  void serve();
  bool take_inbox() FOREBAY_EXCLUDES(mutex_);  // false: the transport closes
  void start(Transfer transfer);
  void finish_done();
  void finish_all();

  Scheduler& scheduler_;
  const CurlSettings settings_;
  const std::unique_ptr<CURLM, MultiDeleter> multi_;

  // For the thread only. Looked up by handle, never walked in that order but at the end.
  std::map<CURL*, Transfer> running_;
  std::vector<Transfer> taken_;

  Mutex mutex_;
  std::vector<Transfer> inbox_ FOREBAY_GUARDED_BY(mutex_);
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace forebay::real
