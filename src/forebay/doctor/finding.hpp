// Finding: one thing that the doctor has to say: what it saw, why that matters, and what to do.
//
// Texts are for people and hold no secret. `check` is one short word, the same for all findings of
// one check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace forebay::doctor {

enum class Severity : std::uint8_t {
  ok,
  note,     // worth knowing; nothing is wrong
  warning,  // it works, but not well, or not for long
  error,    // it does not work
};

std::string_view name(Severity severity);

// Has a constructor because coroutines hand it on.
class Finding {
 public:
  Finding(Severity how, std::string which, std::string seen, std::string reason = {},
          std::string what_to_do = {})
      : severity(how),
        check(std::move(which)),
        what(std::move(seen)),
        why(std::move(reason)),
        advice(std::move(what_to_do)) {}

  Severity severity;
  std::string check;
  std::string what;
  std::string why;     // may be empty
  std::string advice;  // may be empty
};

using Findings = std::vector<Finding>;

// ok, if there are none.
Severity worst(const Findings& findings);

// Collects the findings of one check.
class Notebook {
 public:
  explicit Notebook(std::string check) : check_(std::move(check)) {}

  void ok(std::string what) { add(Severity::ok, std::move(what), {}, {}); }
  void note(std::string what, std::string why = {}, std::string advice = {}) {
    add(Severity::note, std::move(what), std::move(why), std::move(advice));
  }
  void warning(std::string what, std::string why, std::string advice) {
    add(Severity::warning, std::move(what), std::move(why), std::move(advice));
  }
  void error(std::string what, std::string why, std::string advice) {
    add(Severity::error, std::move(what), std::move(why), std::move(advice));
  }
  void add(Severity severity, std::string what, std::string why, std::string advice) {
    findings_.emplace_back(severity, check_, std::move(what), std::move(why), std::move(advice));
  }
  // A check that needs what another one did not bring.
  void not_checked(std::string_view because) {
    note(std::string("not checked because ").append(because));
  }

  bool is_empty() const { return findings_.empty(); }
  Findings take() { return std::move(findings_); }

 private:
  std::string check_;
  Findings findings_;
};

}  // namespace forebay::doctor
