// Doctor: looks at a service's configuration and at everything it needs, step by step, and says
// what it found. It changes nothing anywhere.
//
//   Doctor doctor(env, options);
//   while (!doctor.next().empty()) run_blocking(scheduler, doctor.step());
//   run_blocking(scheduler, doctor.close());
//
// One step's failure does not stop the others: a check that needs what it should have brought says
// that it was not made, and why. step() and close() are for the scheduler, one at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/config/read_configuration.hpp"
#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/doctor/clock_noting_http.hpp"
#include "forebay/doctor/credentials_check.hpp"
#include "forebay/doctor/database_check.hpp"
#include "forebay/doctor/demand.hpp"
#include "forebay/doctor/finding.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"

namespace forebay::doctor {

struct DoctorEnv {
  aws::AwsEnv aws;
  postgres::LibpqEnv libpq;
};

struct DoctorOptions {
  std::string configuration;                    // a file; empty: what FOREBAY_CONFIG names, or none
  std::string metrics_url;                      // of a running instance; empty: none is looked at
  Duration watch = std::chrono::seconds(3);     // between the two looks at it
  Duration timeout = std::chrono::seconds(10);  // of each request
  std::optional<int> processes;                 // none: as many as hold leases
};

struct DoctorReport {
  Findings findings;
  std::vector<DemandRow> demand;  // empty: not known
};

class Doctor {
 public:
  Doctor(const DoctorEnv& env, DoctorOptions options);
  Doctor(const Doctor&) = delete;
  Doctor& operator=(const Doctor&) = delete;
  ~Doctor();

  // What is looked at next, for people. Empty: nothing is left.
  std::string_view next() const;
  Task<void> step();
  Task<void> close();  // the owner awaits it before the doctor dies
  const DoctorReport& report() const { return report_; }

 private:
  struct Step;

  Task<void> look_at_configuration();
  Task<void> look_at_credentials();
  Task<void> look_at_database();
  Task<void> look_at_tables();
  Task<void> look_at_leases();
  Task<void> look_at_rate();
  Task<void> look_at_clocks();
  Task<void> look_at_demand();
  Task<void> look_at_settings();
  Task<void> look_at_instance();

  static const std::vector<Step>& steps();
  Task<void> find_credentials(CredentialsFacts& facts);
  const ClusterOptions* cluster() const;  // null: none, or not known
  Instant deadline() const;
  void add(Findings findings);
  void not_checked(std::string check, std::string_view because);

  const DoctorEnv env_;
  const DoctorOptions options_;
  std::size_t done_ = 0;
  DoctorReport report_;

  // What one step leaves for the next.
  ConfigurationReading reading_;
  std::string unusable_;  // why the configuration cannot be used; empty: it can
  bool is_bare_ = false;  // it names no database: there is nothing to look at
  ClockNotingHttp dynamodb_http_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::string token_;
  std::optional<aws::DynamoDb> dynamodb_;
  std::string no_tables_;  // why the tables cannot be used; empty: they can
  std::optional<DatabaseFacts> database_;
  std::optional<LeaseListing> leases_;
};

}  // namespace forebay::doctor
