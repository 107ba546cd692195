#include "forebay/sim/result/report.hpp"

#include <algorithm>
#include <ostream>

#include "forebay/detail/base/check.hpp"
#include "forebay/sim/result/report_data.hpp"
#include "forebay/sim/result/report_files.hpp"

namespace forebay::sim {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string_view file(const std::vector<BundledFile>& files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &BundledFile::name);
  FOREBAY_CHECK(found != files.end(), std::string(name));
  return found->text;
}

}  // namespace

bool has_report() { return !report_files().empty(); }

// page.html has the names of the other files in double braces, in the order in which they belong
// together, and "title" and "data". What is put in is not looked at again.
void write_report(const RunResult& result, std::ostream& out) {
  const std::vector<BundledFile> files = report_files();
  std::string_view page = file(files, "page.html");
  while (true) {
    const std::size_t open = page.find(kOpen);
    out << page.substr(0, open);
    if (open == std::string_view::npos) return;
    const std::size_t close = page.find(kClose, open);
    FOREBAY_CHECK(close != std::string_view::npos, std::string(page.substr(open, 40)));
    const std::string_view name = page.substr(open + kOpen.size(), close - open - kOpen.size());
    if (name == "data") {
      write_report_data(result, out);
    } else if (name == "title") {
      out << html_text(result.scenario);
    } else {
      out << file(files, name);
    }
    page.remove_prefix(close + kClose.size());
  }
}

}  // namespace forebay::sim
