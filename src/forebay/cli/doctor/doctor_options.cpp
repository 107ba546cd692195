#include "forebay/cli/doctor/doctor_options.hpp"

#include <fmt/format.h>

#include "forebay/cli/option_values.hpp"
#include "forebay/cli/secrets.hpp"

namespace forebay::cli {
namespace {

constexpr int kMostProcesses = 1'000'000;

std::string problem_with_url(std::string_view url) {
  if (url.contains('@')) return "it holds a user or a password: give it without";
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  if (!is_http) return "right would be http://127.0.0.1:9464/metrics, say";
  const std::string_view rest = url.substr(url.find("://") + 3);
  if (rest.empty() || rest.starts_with('/')) return "it names no host";
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return "it holds a blank";
  }
  return "";
}

// A server that is named without a page has it where Prometheus looks for it.
std::string with_page(std::string url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t slash = url.find('/', host);
  if (slash == std::string::npos) return url + "/metrics";
  return slash + 1 == url.size() ? url + "metrics" : url;
}

}  // namespace

doctor::DoctorOptions read(const DoctorArguments& arguments,
                           const std::optional<std::string>& metrics_url_variable,
                           std::vector<std::string>& problems) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  doctor::DoctorOptions options;
  options.configuration = arguments.config;
  const std::optional<std::string>& url =
      arguments.metrics ? arguments.metrics : metrics_url_variable;
  if (url) {
    const std::string problem = problem_with_url(*url);
    if (problem.empty()) {
      options.metrics_url = with_page(*url);
    } else {
      problems.push_back(fmt::format(
          "{} is {}: {}", arguments.metrics ? std::string_view("--metrics") : kMetricsUrlVariable,
          shown(*url), problem));
    }
  }
  options.watch = time_between("--for", arguments.watch, milliseconds(100), hours(1), problems);
  options.timeout =
      time_between("--timeout", arguments.timeout, milliseconds(100), hours(1), problems);
  if (arguments.processes)
    options.processes =
        number_between("--processes", *arguments.processes, 1, kMostProcesses, problems);
  return options;
}

}  // namespace forebay::cli
