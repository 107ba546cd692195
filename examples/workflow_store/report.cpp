#include "report.hpp"

#include <iomanip>
#include <sstream>
#include <string_view>

namespace workflow {
namespace {

class FigureList {
 public:
  template <class Number>
  void add(std::string_view name, Number value) {
    text_ << std::left << std::setw(24) << name << std::right << std::setw(10) << value << '\n';
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

}  // namespace

std::string report_text(const Ledger& all, const OperatorCount& operator_count,
                        const std::vector<forebay::OperationSnapshot>& operations,
                        const Verification& verification) {
  forebay::OperationSnapshot sum;
  for (const forebay::OperationSnapshot& operation : operations) {
    sum.succeeded += operation.succeeded;
    sum.conflicts += operation.conflicts;
    sum.retries += operation.retries;
  }
  FigureList figures;
  figures.add("shards acquired", all.acquisitions);
  figures.add("shards lost", all.lost_shards);
  figures.add("shard updates", all.shard_updates);
  figures.add("notes on shards", operator_count.notes);
  figures.add("notes refused", operator_count.refused_notes);
  figures.add("workflows started", all.updates.size());
  figures.add("execution updates", all.update_count());
  figures.add("events appended", all.appended.size());
  figures.add("events taken", all.taken.size());
  figures.add("events left", verification.events_left);
  figures.add("transactions", sum.succeeded);
  figures.add("conflicts", sum.conflicts);
  figures.add("retries", sum.retries);
  figures.add("given up", all.given_up + operator_count.given_up);
  figures.add("unknown outcomes", all.unknown_outcomes);
  return figures.text();
}

}  // namespace workflow
