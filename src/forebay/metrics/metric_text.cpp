#include "forebay/metrics/metric_text.hpp"

#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

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

// The upper ends of the buckets, as text, in the unit of the name.
using Bounds = std::array<std::string, TimeHistogram::kBounds>;
const Bounds& bounds_of(Metric metric) {
  const auto in_unit = [](Metric some) {
    Bounds bounds;
    for (std::size_t i = 0; i < bounds.size(); ++i)
      append_value(bounds[i], in_unit_of(some, TimeHistogram::kLongest[i]));
    return bounds;
  };
  static const Bounds milliseconds = in_unit(Metric::reservoir_checkout_latency);
  static const Bounds seconds = in_unit(Metric::pool_wait_duration);
  return metric == Metric::reservoir_checkout_latency ? milliseconds : seconds;
}

}  // namespace

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
  const Bounds& bounds = bounds_of(metric);
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
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", each.name, each.help, each.name,
                        name(each.type));
    text += lines;
  }
  return text;
}

}  // namespace forebay
