// PrometheusServer: a real Prometheus with the shipped alert rules, in a hurry: minutes of the
// rules are seconds here, and it looks twice a second. It runs on a free port of 127.0.0.1, in a
// temporary folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include "forebay/aws/signing/uri.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/embedded/free_port.hpp"
#include "forebay/embedded/server_files.hpp"
#include "forebay/embedded/server_process.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "support/places.hpp"

namespace forebay::test {

inline std::string shipped_alerts() {
  return embedded::read_file(test::source_file("deploy/prometheus/alerts.yaml"));
}

// The names of the rules.
inline std::set<std::string> alerts_in(const std::string& rules) {
  static const std::regex name("- alert: (\\w+)");
  std::set<std::string> names;
  for (std::sregex_iterator each(rules.begin(), rules.end(), name), end; each != end; ++each)
    names.insert((*each)[1]);
  return names;
}

class PrometheusServer {
 public:
  // The targets are "host:port".
  PrometheusServer(Runtime& runtime, const std::vector<std::string>& targets) : runtime_(runtime) {
    auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-prometheus");
    FOREBAY_CHECK(folder.has_value(), folder.error().text());
    folder_ = std::move(*folder);
    write("alerts.yaml", hurried(shipped_alerts()));
    write("prometheus.yaml", fmt::format("global: {{scrape_interval: 500ms, scrape_timeout: 500ms, "
                                         "evaluation_interval: 500ms}}\n"
                                         "rule_files: [alerts.yaml]\n"
                                         "scrape_configs:\n"
                                         "  - job_name: forebay\n"
                                         "    honor_labels: true\n"
                                         "    static_configs: [{{targets: [\"{}\"]}}]\n",
                                         fmt::join(targets, "\", \"")));
    // Somebody else may take the port in between.
    for (int attempt = 0; attempt < 3; ++attempt) {
      port_ = embedded::next_free_port();
      if (try_to_start()) return;
    }
    FOREBAY_CHECK(false,
                  "Prometheus does not start: " + embedded::read_file(folder_->path() / "output"));
  }
  ~PrometheusServer() {
    process_->send(SIGTERM);
    process_->wait(std::chrono::seconds(10));
  }

  // The labels as PromQL writes them: pool="main". Empty: whatever it is about.
  bool is_firing(const std::string& alert, const std::string& labels = {}) {
    const std::string asked = fmt::format("ALERTS{{alertstate=\"firing\",alertname=\"{}\"{}{}}}",
                                          alert, labels.empty() ? "" : ",", labels);
    return has_result(ask("/api/v1/query?query=" + aws::uri_encoded(asked)));
  }
  // Whether any alert, on its way or firing, has these labels.
  bool is_troubled(const std::string& labels) {
    const std::string asked = fmt::format("ALERTS{{{}}}", labels);
    return has_result(ask("/api/v1/query?query=" + aws::uri_encoded(asked)));
  }
  std::string alerts() { return ask("/api/v1/alerts"); }
  std::string targets() { return ask("/api/v1/targets"); }

 private:
  static std::string hurried(const std::string& rules) {
    const std::string soon = std::regex_replace(rules, std::regex("for: \\d+m\n"), "for: 1s\n");
    return std::regex_replace(soon, std::regex("\\[\\d+m\\]"), "[5s]");
  }
  static bool has_result(const std::string& answer) {
    return answer.find("\"status\":\"success\"") != std::string::npos &&
           answer.find("\"result\":[]") == std::string::npos;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_->path() / name) << text;
  }
  // Empty: there is no answer.
  std::string ask(const std::string& path) {
    HttpRequest request("GET", fmt::format("http://127.0.0.1:{}{}", port_, path));
    const Instant deadline = runtime_.scheduler().now() + std::chrono::seconds(30);
    const Result<HttpResponse> response =
        run_blocking(runtime_.scheduler(), runtime_.http().send(std::move(request), deadline));
    return response && response->status == 200 ? response->body : std::string();
  }
  bool try_to_start() {
    embedded::Command command;
    command.words = {"/usr/bin/env",
                     "prometheus",
                     "--config.file=" + (folder_->path() / "prometheus.yaml").string(),
                     "--storage.tsdb.path=" + (folder_->path() / "data").string(),
                     fmt::format("--web.listen-address=127.0.0.1:{}", port_),
                     "--log.level=warn"};
    command.output = folder_->path() / "output";
    Result<embedded::ChildProcess> process = embedded::ChildProcess::start(command);
    FOREBAY_CHECK(process.has_value(), process.error().text());
    process_.emplace(std::move(*process));
    for (int look = 0; look < 3000; ++look) {
      if (!ask("/-/ready").empty()) return true;
      if (process_->wait(std::chrono::milliseconds(20))) break;
    }
    process_.reset();
    return false;
  }

  Runtime& runtime_;
  std::unique_ptr<embedded::TemporaryFolder> folder_;
  std::optional<embedded::ChildProcess> process_;
  int port_ = 0;
};

}  // namespace forebay::test
