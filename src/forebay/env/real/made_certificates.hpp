// A certificate authority made for one program, and one server certificate by it: for servers of
// tests and of laptops, whom no public authority knows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forebay/base/error.hpp"

namespace forebay::real {

struct CertificateFiles {
  std::filesystem::path authority;    // ca.pem: what clients are told to trust
  std::filesystem::path certificate;  // server.pem
  std::filesystem::path key;          // server.key, readable for its owner alone
};

// Writes the three into the folder, which exists, in place of older ones. Good for a year. The
// authority's own key is not kept: nobody can sign a second one. Names are host names or IP
// addresses. Errc::invalid: a name or the folder cannot be used.
Result<CertificateFiles> make_certificates(const std::filesystem::path& folder,
                                           const std::vector<std::string>& names);

}  // namespace forebay::real
