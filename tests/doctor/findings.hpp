// What tests of the doctor ask of its findings.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

// For messages of failed tests.
inline void PrintTo(const Finding& finding, std::ostream* out) {
  *out << name(finding.severity) << " " << finding.check << ": " << finding.what << " | "
       << finding.why << " | " << finding.advice;
}

}  // namespace forebay::doctor

namespace forebay::test {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

// A finding of that severity with these words in what was seen, and in why or what to do.
inline testing::Matcher<const Finding&> tells(Severity severity, const std::string& what,
                                              const std::string& more = "") {
  using testing::AllOf;
  using testing::AnyOf;
  using testing::Field;
  using testing::HasSubstr;
  return AllOf(
      Field(&Finding::severity, severity), Field(&Finding::what, HasSubstr(what)),
      AnyOf(Field(&Finding::advice, HasSubstr(more)), Field(&Finding::why, HasSubstr(more))));
}

inline testing::Matcher<const Findings&> all_well() {
  return testing::Each(
      testing::Field(&Finding::severity, testing::AnyOf(Severity::ok, Severity::note)));
}

}  // namespace forebay::test
