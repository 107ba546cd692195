// What others send us as text: AWS's files and answers, times, addresses, rows of COPY.
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/aws/credentials/profiles.hpp"
#include "forebay/aws/credentials/shell_words.hpp"
#include "forebay/aws/credentials/xml_text.hpp"
#include "forebay/aws/http_date.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/sql/copy_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  forebay::aws::Profiles profiles;
  profiles.add_config(text);
  profiles.add_credentials(text);
  static_cast<void>(forebay::aws::shell_words(text));
  static_cast<void>(forebay::aws::region_of_host(text));
  static_cast<void>(forebay::aws::xml_text(text, "Code"));
  static_cast<void>(forebay::aws::parse_iso_time(text));
  static_cast<void>(forebay::aws::http_date(text));
  static_cast<void>(forebay::aws::parse_object(text));
  static_cast<void>(forebay::parse_duration(text));
  FOREBAY_CHECK(forebay::aws::uri_decoded(forebay::aws::uri_encoded(text)) == text);

  // A row that was understood is written and read back as it was.
  const auto fields = forebay::postgres::parse_copy_fields(text);
  if (fields) {
    std::string line;
    forebay::postgres::append_copy_fields(line, *fields);
    const auto again = forebay::postgres::parse_copy_fields(line);
    FOREBAY_CHECK(again.has_value() && *again == *fields, line);
  }
  return 0;
}
