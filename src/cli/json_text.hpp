#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace zklock::cli {

/// Returns a value as JSON in a single line. Characters that would act on a terminal or change the
/// direction of its text are escaped: `\u009b`. The texts in the value must be well formed.
std::string json_text(const boost::json::value& value);

} // namespace zklock::cli
