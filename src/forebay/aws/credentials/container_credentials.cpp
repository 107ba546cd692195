#include "forebay/aws/credentials/container_credentials.hpp"

#include <optional>

#include <fmt/format.h>

#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/http_tries.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

constexpr Tries kTries{3, 2s, 100ms};

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  // An address, not a name like 127.example.org.
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
}

bool is_agent(std::string_view host) {
  return host == "169.254.170.2" || host == "169.254.170.23" || host == "[fd00:ec2::23]";
}

}  // namespace

Result<std::string> ContainerCredentials::address() const {
  if (std::optional<std::string> path =
          env_.machine.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    if (!path->starts_with('/')) path->insert(path->begin(), '/');
    return "http://169.254.170.2" + *path;
  }
  const std::optional<std::string> whole =
      env_.machine.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!whole) return std::string();
  const Url url = split_url(*whole);
  const std::string_view host = without_port(url.host);
  if (url.scheme == "https" && !host.empty()) return *whole;
  if (url.scheme == "http" && (is_loopback(host) || is_agent(host))) return *whole;
  return failure(Errc::refused,
                 fmt::format("AWS_CONTAINER_CREDENTIALS_FULL_URI points to \"{}\", where "
                             "credentials would travel unprotected: use https, this machine, "
                             "169.254.170.2, 169.254.170.23 or [fd00:ec2::23]",
                             host));
}

Task<Result<std::string>> ContainerCredentials::authorization() {
  std::string token = env_.machine.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  if (const std::optional<std::string> path =
          env_.machine.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    const Result<std::string> content = co_await env_.read_file(*path);
    if (!content)
      co_return failure(Errc::refused,
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: " + content.error().text());
    token = *content;
  }
  token = trimmed(token);
  if (token.find_first_of("\r\n") != std::string::npos)
    co_return failure(Errc::refused, "the container's authorization token has more than one line");
  co_return token;
}

Task<Result<Finding>> ContainerCredentials::look(Instant deadline) {
  const Result<std::string> url = address();
  if (!url) co_return failure(url.error());
  if (url->empty()) co_return Finding::absent("AWS_CONTAINER_CREDENTIALS_FULL_URI is not set");
  const std::string who = fmt::format("the container endpoint at {}", split_url(*url).host);
  HttpRequest request("GET", *url);
  request.headers.emplace_back("Accept", "application/json");
  const Result<std::string> token = co_await authorization();
  if (!token) co_return failure(token.error());
  if (!token->empty()) request.headers.emplace_back("Authorization", *token);

  const Result<HttpResponse> response =
      co_await send_in_tries(env_, std::move(request), kTries, deadline);
  if (!response)
    co_return failure(response.error().code(),
                      fmt::format("no credentials from {}: {}", who, response.error().text()));
  if (response->status != 200) co_return failure(status_error(*response, who));
  Result<Credentials> credentials = read_credentials(response->body, who);
  if (!credentials) co_return failure(credentials.error());
  co_return Finding::found(std::move(*credentials));
}

}  // namespace forebay::aws
