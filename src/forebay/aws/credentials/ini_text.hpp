// The files of the AWS command, pure: sections of keys and values, read as the command reads them.
//
//   [section]
//   key = value        or "key: value"; keys in any case, indented or not
//   group =            lines that are further in than the key belong to it,
//     key = value      and are found as "group.key"
//
// Lines that begin with # or ; are comments, and so is what follows a blank and one of them. What
// makes no sense is passed over.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::aws {

struct IniSection {
  std::string name;                           // as it stands between the brackets, trimmed
  std::map<std::string, std::string> values;  // by key, in lower case
};

std::vector<IniSection> read_ini(std::string_view text);

}  // namespace forebay::aws
