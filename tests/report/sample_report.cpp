// Writes the reports that the browser test opens: forebay_sample_report folder. Beside each page
// lie the numbers that it should show.
#include <fstream>
#include <iostream>
#include <string>

#include "forebay/sim/result/csv.hpp"
#include "forebay/sim/result/json.hpp"
#include "forebay/sim/result/report.hpp"
#include "support/sample_result.hpp"

namespace {

bool write(const forebay::sim::RunResult& result, const std::string& path) {
  std::ofstream page(path + ".html");
  forebay::sim::write_report(result, page);
  std::ofstream summary(path + ".json");
  summary << forebay::sim::result_json(result);
  std::ofstream series(path + ".csv");
  forebay::sim::write_csv(result, series);
  return page.good() && summary.good() && series.good();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: forebay_sample_report folder\n";
    return 2;
  }
  const std::string folder = std::string(arguments[1]) + "/";
  const bool is_written = write(forebay::sim::sample_result(4), folder + "4") &&
                          write(forebay::sim::sample_result(44), folder + "44") &&
                          write(forebay::sim::broken_result(), folder + "broken") &&
                          write(forebay::sim::RunResult(), folder + "empty");
  if (!is_written) std::cerr << "cannot write to " << folder << "\n";
  return is_written ? 0 : 1;
}
