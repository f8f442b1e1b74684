#include "settings.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

namespace bench {

namespace {

using setter = std::function<void(settings&, const std::string&)>;

const std::map<std::string, work> modes{
    {"cycle", work::cycle},
    {"background", work::background},
    {"uncached", work::uncached},
    {"immediate", work::immediate},
    {"immediate_background", work::immediate_background},
    {"new_object", work::new_object},
    {"first_use", work::first_use},
    {"try_busy", work::try_busy},
    {"hold", work::hold},
    {"connect", work::connect},
    {"handover", work::handover},
    {"first_touch", work::first_touch},
    {"readers", work::readers},
    {"read", work::read},
    {"give_up", work::give_up},
    {"posts", work::posts},
    {"one_post", work::one_post},
};

setter text(std::string settings::*member) {
  return [member](settings& s, const std::string& value) { s.*member = value; };
}

template <class Number>
setter count(Number settings::*member) {
  return [member](settings& s, const std::string& value) {
    s.*member = static_cast<Number>(std::stoull(value));
  };
}

setter choice(bool settings::*member) {
  return [member](settings& s, const std::string& value) { s.*member = value == "yes"; };
}

setter time(std::chrono::microseconds settings::*member, double microseconds_per_unit) {
  return [member, microseconds_per_unit](settings& s, const std::string& value) {
    s.*member = std::chrono::microseconds(std::llround(std::stod(value) * microseconds_per_unit));
  };
}

const std::map<std::string, setter>& setters() {
  static const std::map<std::string, setter> all{
      {"--servers", text(&settings::servers)},
      {"--tls-ca", text(&settings::authorities)},
      {"--tls-cert", text(&settings::certificate)},
      {"--path", text(&settings::path)},
      {"--mode", [](settings& s, const std::string& value) { s.mode = modes.at(value); }},
      {"--index", count(&settings::index)},
      {"--waiters", count(&settings::waiters)},
      {"--locks", count(&settings::locks)},
      {"--held", count(&settings::held)},
      {"--known", count(&settings::known)},
      {"--cached", count(&settings::cached)},
      {"--starved", count(&settings::starved)},
      {"--waiting", count(&settings::waiting)},
      {"--readers", count(&settings::readers)},
      {"--clients", count(&settings::clients)},
      {"--contexts", count(&settings::contexts)},
      {"--context-threads", count(&settings::context_threads)},
      {"--local-handoffs", count(&settings::local_handoffs)},
      {"--cache", choice(&settings::cache)},
      {"--keep-ms", time(&settings::keep, 1e3)},
      {"--pause-ms", time(&settings::pause, 1e3)},
      {"--warmup", time(&settings::warmup, 1e6)},
      {"--seconds", time(&settings::window, 1e6)},
      {"--stamps", choice(&settings::stamps)},
  };
  return all;
}

} // namespace

settings read_settings(int argc, char** argv) {
  settings chosen;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const auto found = setters().find(name);
    if (found == setters().end()) throw std::invalid_argument("unknown argument " + name);
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    try {
      found->second(chosen, argv[i + 1]);
    } catch (const std::logic_error&) {
      throw std::invalid_argument(name + " cannot be " + argv[i + 1]);
    }
  }
  if (chosen.servers.empty()) throw std::invalid_argument("--servers is missing");
  if (chosen.path.empty()) throw std::invalid_argument("--path is missing");
  if (chosen.locks == 0) throw std::invalid_argument("--locks cannot be 0");
  return chosen;
}

bool has_others(const settings& chosen) {
  return chosen.held + chosen.known + chosen.cached + chosen.starved > 0;
}

std::string lock_of(const settings& chosen, std::size_t waiter) {
  return chosen.path + "/" + std::to_string(waiter % chosen.locks);
}

} // namespace bench
