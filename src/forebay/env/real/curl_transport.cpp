#include "forebay/env/real/curl_transport.hpp"

#include <utility>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/start_thread.hpp"

namespace forebay::real {
namespace {

// Far more than our requests need at once; those beyond wait for a connection.
constexpr long kConnectionsPerHost = 32;
// Only a bound: libcurl wakes up for its own timers, and submit() wakes it too.
constexpr int kLongestPoll = 60'000;

CURLM* make_multi() {
  // For the whole process, once; libcurl is never unloaded.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  FOREBAY_CHECK(ready == CURLE_OK, "libcurl cannot be used");
  CURLM* const multi = curl_multi_init();
  FOREBAY_CHECK(multi != nullptr, "libcurl has no memory");
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, kConnectionsPerHost);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kConnectionsPerHost);
  return multi;
}

}  // namespace

CurlTransport::CurlTransport(Scheduler& scheduler, CurlSettings settings)
    : scheduler_(scheduler), settings_(std::move(settings)), multi_(make_multi()) {
  // With all signals blocked: a server that hangs up must not end the process by SIGPIPE.
  thread_ = start_thread_or_stop("forebay-http", [this] { serve(); });
}

CurlTransport::~CurlTransport() {
  {
    MutexLock lock(mutex_);
    is_closing_ = true;
  }
  curl_multi_wakeup(multi_.get());
  thread_.join();
}

Task<Result<HttpResponse>> CurlTransport::send(HttpRequest request, Instant deadline) {
  const auto transfer = std::make_shared<CurlTransfer>(scheduler_, std::move(request), deadline);
  if (Result<void> sane = transfer->check(); !sane) co_return failure(sane.error());
  if (scheduler_.now() >= deadline)
    co_return failure(Errc::timed_out,
                      "the deadline had passed before a request to " + transfer->server());
  submit(transfer);

  const bool is_done = co_await transfer->done.wait_until(deadline);
  // From here on the transport may be gone.
  if (!is_done) co_return failure(transfer->late_error());
  co_return std::move(transfer->outcome);
}

void CurlTransport::submit(Transfer transfer) {
  MutexLock lock(mutex_);
  inbox_.push_back(std::move(transfer));
  curl_multi_wakeup(multi_.get());
}

void CurlTransport::serve() {
  while (take_inbox()) {
    int running = 0;
    {
      const NoFork whole_step;  // for the locks of OpenSSL
      curl_multi_perform(multi_.get(), &running);
    }
    finish_done();
    curl_multi_poll(multi_.get(), nullptr, 0, kLongestPoll, nullptr);
  }
  finish_all();
}

bool CurlTransport::take_inbox() {
  bool is_closing = false;
  {
    MutexLock lock(mutex_);
    taken_.swap(inbox_);
    is_closing = is_closing_;
  }
  for (Transfer& transfer : taken_) start(std::move(transfer));
  taken_.clear();
  return !is_closing;
}

void CurlTransport::start(Transfer transfer) {
  CURL* const easy = transfer->prepare(settings_);
  if (easy == nullptr) return;
  const CURLMcode added = curl_multi_add_handle(multi_.get(), easy);
  if (added != CURLM_OK) {
    transfer->finish(Errc::connect_failed, "no request could be started to " + transfer->server());
    return;
  }
  running_.emplace(easy, std::move(transfer));
}

void CurlTransport::finish_done() {
  int left = 0;
  while (CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    // The message dies with the handle's place in the multi handle.
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    curl_multi_remove_handle(multi_.get(), easy);
    auto node = running_.extract(easy);
    node.mapped()->finish(code);
  }
}

void CurlTransport::finish_all() {
  for (auto& [easy, transfer] : running_) {
    curl_multi_remove_handle(multi_.get(), easy);
    transfer->finish(Errc::closed,
                     "the HTTP transport was closed before " + transfer->server() + " answered");
  }
  running_.clear();
}

}  // namespace forebay::real
