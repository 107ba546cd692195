#include "forebay/metrics/metric_text.hpp"

#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "forebay/env/http_preference.hpp"

namespace forebay {
namespace {

void append_escaped(std::string& to, std::string_view text) {
  if (text.find_first_of("\\\"\n") == std::string_view::npos) {
    to += text;
    return;
  }
  for (const char each : text) {
    if (each == '\n') {
      to += "\\n";
      continue;
    }
    if (each == '\\' || each == '"') to += '\\';
    to += each;
  }
}

void append_count(std::string& to, std::uint64_t count) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), count).ptr;
  to.append(digits.begin(), end);
}

void append_value(std::string& to, double value) {
  if (std::isnan(value)) {
    to += "NaN";
  } else if (std::isinf(value)) {
    to += value > 0 ? "+Inf" : "-Inf";
  } else if (value >= 0 && value == std::floor(value) && value < 1e16) {
    append_count(to, static_cast<std::uint64_t>(value));
  } else {
    fmt::format_to(std::back_inserter(to), "{}", value);
  }
}

// name="value",name="value"
void append_labels(std::string& to, MetricLabels labels) {
  bool is_first = true;
  for (const MetricLabel& label : labels) {
    if (!is_first) to += ',';
    is_first = false;
    to += label.name;
    to += "=\"";
    append_escaped(to, label.value);
    to += '"';
  }
}

// The upper ends of the buckets, as text, in the unit of the name. OpenMetrics wants whole numbers
// to look like the others: 1.0.
using Bounds = std::array<std::string, TimeHistogram::kBounds>;
const Bounds& bounds_of(Metric metric, MetricFormat format) {
  const auto in_unit = [](Metric some, MetricFormat as) {
    Bounds bounds;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      append_value(bounds[i], in_unit_of(some, TimeHistogram::kLongest[i]));
      if (as == MetricFormat::openmetrics && bounds[i].find_first_of(".e") == std::string::npos)
        bounds[i] += ".0";
    }
    return bounds;
  };
  using enum MetricFormat;
  static const std::array<Bounds, 2> milliseconds = {
      in_unit(Metric::reservoir_checkout_latency, prometheus),
      in_unit(Metric::reservoir_checkout_latency, openmetrics)};
  static const std::array<Bounds, 2> seconds = {in_unit(Metric::pool_wait_duration, prometheus),
                                                in_unit(Metric::pool_wait_duration, openmetrics)};
  const auto& bounds = metric == Metric::reservoir_checkout_latency ? milliseconds : seconds;
  return bounds[static_cast<std::size_t>(format)];
}

// OpenMetrics names a family of counters without what ends the names of its values.
std::string_view family_name(const MetricDefinition& metric, MetricFormat format) {
  constexpr std::string_view kTotal = "_total";
  const bool is_shortened =
      format == MetricFormat::openmetrics && metric.type == MetricType::counter;
  return is_shortened ? metric.name.substr(0, metric.name.size() - kTotal.size()) : metric.name;
}

}  // namespace

std::string_view content_type(MetricFormat format) {
  return format == MetricFormat::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

MetricFormat preferred_format(std::string_view accept) {
  const double open = http_preference(accept, "application/openmetrics-text");
  return open > http_preference(accept, "text/plain") ? MetricFormat::openmetrics
                                                      : MetricFormat::prometheus;
}

double in_unit_of(Metric metric, Duration time) {
  const double unit = metric == Metric::reservoir_checkout_latency ? 1e6 : 1e9;
  return static_cast<double>(time.count()) / unit;
}

// A page of a thousand pools has a hundred thousand lines: they are put together without a format
// string to be read each time.
void MetricText::number(Metric metric, MetricLabels labels, double value) {
  std::string& lines = lines_of(metric);
  lines += definition(metric).name;
  if (!labels.empty()) {
    lines += '{';
    append_labels(lines, labels);
    lines += '}';
  }
  lines += ' ';
  append_value(lines, value);
  lines += '\n';
}

void MetricText::times(Metric metric, MetricLabels labels, const TimeHistogram& times) {
  const std::string name(definition(metric).name);
  std::string own;
  append_labels(own, labels);
  const std::string bucket = name + "_bucket{" + own + (own.empty() ? "le=\"" : ",le=\"");
  const Bounds& bounds = bounds_of(metric, format_);
  std::string& lines = lines_of(metric);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    count += times.count(i);
    lines += bucket;
    lines += i < bounds.size() ? std::string_view(bounds[i]) : "+Inf";
    lines += "\"} ";
    append_count(lines, count);
    lines += '\n';
  }
  lines += name + "_sum{" + own + "} ";
  append_value(lines, in_unit_of(metric, times.sum()));
  lines += '\n' + name + "_count{" + own + "} ";
  append_count(lines, count);
  lines += '\n';
}

std::string MetricText::text() const {
  std::string text;
  std::size_t length = kMetrics * 256;
  for (const std::string& lines : lines_) length += lines.size();
  text.reserve(length);
  for (const MetricDefinition& each : metric_table()) {
    const std::string& lines = lines_[static_cast<std::size_t>(each.metric)];
    if (lines.empty()) continue;
    const std::string_view family = family_name(each, format_);
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", family, each.help, family, name(each.type));
    text += lines;
  }
  if (format_ == MetricFormat::openmetrics) text += "# EOF\n";
  return text;
}

}  // namespace forebay
