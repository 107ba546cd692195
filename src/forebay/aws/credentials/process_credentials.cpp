#include "forebay/aws/credentials/process_credentials.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/shell_words.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

constexpr std::size_t kShortestSecret = 8;

void mask(std::string& text, const std::string& secret) {
  if (secret.size() < kShortestSecret) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
    text.replace(at, secret.size(), "***");
}

// What the program complained of, in one line.
std::string complaint(const ProgramEnd& end, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 400;
  std::string text(trimmed(end.err));
  std::vector<std::string> secrets(words.begin() + 1, words.end());
  if (const std::optional<boost::json::object> printed = parse_object(end.out)) {
    secrets.push_back(text_at(*printed, "SecretAccessKey"));
    secrets.push_back(text_at(*printed, "SessionToken"));
  }
  // The longest first: a shorter one may be a part of it.
  std::ranges::sort(secrets, std::ranges::greater(), &std::string::size);
  for (const std::string& secret : secrets) mask(text, secret);
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  if (text.size() > kLongest) text = "... " + text.substr(text.size() - kLongest);
  return text;
}

bool is_version_1(const boost::json::object& object) {
  const boost::json::value* const version = object.if_contains("Version");
  return version != nullptr && version->is_number() && version->to_number<double>() == 1;
}

}  // namespace

Task<Result<Credentials>> credentials_of_program(AwsEnv env, std::string command,
                                                 std::string profile, Instant deadline) {
  const std::optional<std::vector<std::string>> words = shell_words(command);
  if (!words || words->empty())
    co_return failure(Errc::refused,
                      fmt::format("the AWS profile \"{}\" has a credential_process that is no "
                                  "command line: is a quote missing?",
                                  profile));
  const std::string who =
      fmt::format("the program {} of the AWS profile \"{}\"", words->front(), profile);
  const Result<ProgramEnd> end = co_await env.run_program(*words, deadline);
  if (!end) {
    const Errc code = end.error().code() == Errc::invalid ? Errc::refused : end.error().code();
    co_return failure(code, fmt::format("no credentials from {} (credential_process): {}", who,
                                        end.error().text()));
  }
  if (end->status != 0) {
    const std::string why = complaint(*end, *words);
    co_return failure(Errc::connect_failed,
                      fmt::format("no credentials from {} (credential_process): it ended with {}{}",
                                  who, end->status, why.empty() ? "" : ": " + why));
  }
  if (const auto printed = parse_object(end->out); printed && !is_version_1(*printed))
    co_return failure(Errc::refused,
                      fmt::format("{} (credential_process) printed credentials of a version that "
                                  "forebay does not know: \"Version\" must be 1",
                                  who));
  co_return read_credentials(end->out, who, "SessionToken");
}

}  // namespace forebay::aws
