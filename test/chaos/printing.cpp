#include "chaos/outcome.hpp"

#include <boost/json/serialize.hpp>

#include <ostream>
#include <utility>

namespace chaos {
namespace {

namespace json = boost::json;

void print_row(std::ostream& out, const json::string& name, const json::object& one) {
  const auto& waits = one.at("ms of waiting").as_object();
  out << "  " << std::string_view(name) << ": " << one.at("asked") << " asked, "
      << one.at("granted") << " granted, " << one.at("lost") << " lost, waited " << waits.at("p50")
      << " ms (half), " << waits.at("longest") << " ms (longest)\n";
}

template <class List, class Write>
void write_each(std::ostream& out, const List& list, const Write& write_one) {
  const char* separator = "\n";
  for (const auto& each : list) {
    out << std::exchange(separator, ",\n");
    write_one(each);
  }
}

void write_member(std::ostream& out, const json::value& one) {
  const bool nested = one.is_array() && !one.as_array().empty();
  if (!nested && !one.is_object()) {
    out << one;
    return;
  }
  if (nested) {
    out << '[';
    write_each(out, one.as_array(), [&](const auto& each) { out << "    " << each; });
    out << "\n  ]";
    return;
  }
  out << '{';
  write_each(out, one.as_object(), [&](const auto& each) {
    out << "    " << json::value(each.key()) << ": " << each.value();
  });
  out << "\n  }";
}

} // namespace

void write(std::ostream& out, const json::object& result) {
  out << '{';
  write_each(out, result, [&](const auto& each) {
    out << "  " << json::value(each.key()) << ": ";
    write_member(out, each.value());
  });
  out << "\n}\n";
}

void print(std::ostream& out, const json::object& result) {
  out << result.at("ms") << " ms of chaos on " << result.at("servers").as_string().c_str() << '\n';
  print_row(out, "all", result.at("acquires").as_object());
  print_row(out, "by TLS", result.at("acquires by TLS").as_object());
  for (const auto& [kind, one] : result.at("acquires by kind").as_object())
    print_row(out, json::string(kind), one.as_object());
  out << "  " << result.at("holds checked for overlaps") << " holds checked, "
      << result.at("holds of which no time is certain, not checked") << " not\n";
  for (const char* name :
       {"connections lost", "servers left that had a node which the quorum had not",
        "clients told of older data", "holds and commits that servers lost by themselves"})
    out << "  " << name << ": " << result.at(name) << '\n';
  out << "data\n";
  for (const auto& [name, number] : result.at("data").as_object())
    out << "  " << std::string_view(name) << ": " << number << '\n';
  out << result.at("faults") << " faults\n";
  for (const auto& [kind, times] : result.at("faults by kind").as_object())
    out << "  " << std::string_view(kind) << ": " << times << '\n';
  for (const auto& each : result.at("faults that failed").as_array())
    out << "  failed: " << each.as_string().c_str() << '\n';
  for (const auto& each : result.at("complaints").as_array())
    out << "VIOLATION " << each.as_string().c_str() << '\n';
  out << result.at("violations") << " violations" << std::endl;
}

void print_faults(std::ostream& out, const std::vector<past_fault>& faults) {
  for (const auto& each : faults)
    out << "fault, " << each.when.begin << " to " << each.when.end << ": " << name_of(each.kind)
        << ": " << each.target << '\n';
}

} // namespace chaos
