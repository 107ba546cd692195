#include "forebay/env/real/curl_transfer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;

// Without a deadline, somebody must still notice that nobody is there.
constexpr long kConnectSeconds = 30;
// AWS drops idle connections after about a minute; a request must not race with that.
constexpr long kIdleSeconds = 50;
constexpr long kKeepaliveSeconds = 30;

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string url_part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

CurlTransfer::CurlTransfer(Scheduler& scheduler, HttpRequest request, Instant deadline)
    : done(scheduler),
      outcome(failure(Errc::closed, "the transport is closed")),
      scheduler_(scheduler),
      request_(std::move(request)),
      start_(scheduler.now()),
      deadline_(deadline),
      error_text_(CURL_ERROR_SIZE, '\0'),
      response_(0) {}

Result<void> CurlTransfer::check() {
  const bool is_method =
      !request_.method.empty() && std::ranges::all_of(request_.method, [](char letter) {
        return letter >= 'A' && letter <= 'Z';
      });
  if (!is_method) return failure(Errc::invalid, "an HTTP method is a word in capitals, like GET");

  const std::unique_ptr<CURLU, UrlDeleter> url(curl_url());
  if (!is_one_line(request_.url) || !url ||
      curl_url_set(url.get(), CURLUPART_URL, request_.url.c_str(), 0) != CURLUE_OK)
    return failure(Errc::invalid,
                   "the URL of an HTTP request cannot be understood; it looks like "
                   "https://host:port/path");
  const std::string scheme = url_part(url.get(), CURLUPART_SCHEME);
  host_ = url_part(url.get(), CURLUPART_HOST);
  server_ = host_ + ':' + url_part(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (host_.starts_with('[') && host_.ends_with(']')) host_ = host_.substr(1, host_.size() - 2);
  is_tls_ = scheme == "https";
  if (!is_tls_ && scheme != "http")
    return failure(Errc::invalid, "the URL for " + server_ + " must begin with https or http");
  if (!url_part(url.get(), CURLUPART_USER).empty())
    return failure(Errc::invalid, "the URL for " + server_ + " must not hold a user name");

  for (const HttpHeader& header : request_.headers) {
    if (header.name.empty() || !is_one_line(header.name) || !is_one_line(header.value) ||
        header.name.find_first_of(": ") != std::string::npos)
      return failure(Errc::invalid,
                     "a header of a request to " + server_ + " holds a line break or has no name");
  }
  return {};
}

CURL* CurlTransfer::prepare(const CurlSettings& settings) {
  easy_.reset(curl_easy_init());
  CURL* const easy = easy_.get();
  if (easy == nullptr || !add_headers()) {
    finish(Errc::connect_failed, "no memory for a request to " + server_);
    return nullptr;
  }
  set_route(settings);
  set_request();
  set_limits();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &before_sending);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  return easy;
}

void CurlTransfer::set_route(const CurlSettings& settings) {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);  // what was signed is what is sent
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (!settings.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, settings.ca_file.c_str());
  // An empty text, not none: with none, libcurl would look into the process's environment.
  const std::string& proxy = is_tls_ ? settings.https_proxy : settings.http_proxy;
  curl_easy_setopt(easy, CURLOPT_PROXY, is_next_to_us(host_) ? "" : proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, settings.no_proxy.c_str());
}

void CurlTransfer::set_request() {
  CURL* const easy = easy_.get();
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request_.method != "GET" || !request_.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
}

bool CurlTransfer::add_headers() {
  bool has_type = false;
  for (const HttpHeader& header : request_.headers) {
    // libcurl's way to say a header without a value is a semicolon.
    if (!add_header(header.value.empty() ? header.name + ';' : header.name + ": " + header.value))
      return false;
    has_type = has_type || curl_strequal(header.name.c_str(), "Content-Type") != 0;
  }
  // A name without a value takes away what libcurl would add by itself.
  if (!has_type && !add_header("Content-Type:")) return false;
  return add_header("Expect:");
}

bool CurlTransfer::add_header(const std::string& line) {
  curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(headers_.release());
  headers_.reset(longer);
  return true;
}

void CurlTransfer::set_limits() {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // A lookup that hangs is left behind, instead of holding up all other requests.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepaliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepaliveSeconds);
  if (deadline_ == kNever) return;
  // The task keeps the deadline itself. This only clears up, so it comes a little later.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - scheduler_.now());
  const auto limit = std::clamp<std::int64_t>(left.count() + 2, 1, 1'000'000'000);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limit));
}

std::size_t CurlTransfer::take_header(char* data, std::size_t size, std::size_t count, void* self) {
  CurlTransfer& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view line(data, size * count);
  transfer.received_ += line.size();
  transfer.is_too_large_ = transfer.received_ > kLargestResponse;
  if (transfer.is_too_large_) return 0;
  // A new status line starts the answer again: there was a preliminary one, or a proxy's.
  if (line.starts_with("HTTP/")) transfer.response_.headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  transfer.response_.headers.emplace_back(std::string(line.substr(0, colon)),
                                          std::string(trimmed(line.substr(colon + 1))));
  return line.size();
}

std::size_t CurlTransfer::take_body(char* data, std::size_t size, std::size_t count, void* self) {
  CurlTransfer& transfer = *static_cast<CurlTransfer*>(self);
  transfer.received_ += size * count;
  transfer.is_too_large_ = transfer.received_ > kLargestResponse;
  if (transfer.is_too_large_) return 0;
  transfer.response_.body.append(data, size * count);
  return size * count;
}

// libcurl sends again, unasked, when a kept connection turns out to be closed. The server may have
// done what was asked all the same, so only requests that change nothing may go twice.
int CurlTransfer::before_sending(void* self, char*, char*, int, int) {
  CurlTransfer& transfer = *static_cast<CurlTransfer*>(self);
  const bool is_harmless = transfer.request_.method == "GET" || transfer.request_.method == "HEAD";
  if (transfer.sends_ > 0 && !is_harmless) return CURL_PREREQFUNC_ABORT;
  ++transfer.sends_;
  return CURL_PREREQFUNC_OK;
}

void CurlTransfer::finish(CURLcode code) {
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    outcome = std::move(response_);
  } else {
    outcome = failure(error_of(code));
  }
  easy_.reset();
  done.notify();
}

void CurlTransfer::finish(Errc code, std::string text) {
  easy_.reset();
  outcome = failure(code, std::move(text));
  done.notify();
}

Error CurlTransfer::error_of(CURLcode code) const {
  const std::string reason = curl_easy_strerror(code);
  if (code == CURLE_OPERATION_TIMEDOUT && (sends_ > 0 || scheduler_.now() >= deadline_))
    return late_error();
  const bool is_unfit = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
  if (sends_ == 0 && is_unfit)
    return Error(Errc::invalid, fmt::format("no request can be sent to {}: {}", server_, reason));
  if (sends_ == 0) {
    // Nothing has been sent or received yet, so libcurl's own words hold no secret.
    const std::string detail = error_text_.c_str();
    return Error(Errc::connect_failed,
                 fmt::format("{} was not reached: {}", server_, detail.empty() ? reason : detail));
  }
  if (is_too_large_)
    return Error(Errc::connection_lost,
                 fmt::format("{} answered with more than {} MiB, which no request needs", server_,
                             kLargestResponse >> 20));
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return Error(Errc::connection_lost,
                 fmt::format("{} closed the connection before it answered", server_));
  return Error(Errc::connection_lost,
               fmt::format("the connection to {} was lost before the answer was whole: {}", server_,
                           reason));
}

Error CurlTransfer::late_error() const {
  const std::string time = readable_time(deadline_ - start_);
  if (sends_ == 0)
    return Error(Errc::timed_out, fmt::format("{} was not reached within {}", server_, time));
  return Error(Errc::timed_out, fmt::format("{} did not answer within {}", server_, time));
}

}  // namespace forebay::real
