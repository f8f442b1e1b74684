#pragma once

#include <zklock/stats.hpp>

#include <string>

namespace zklock::metrics {

/// The value of the HTTP field Content-Type of `prometheus_text`.
inline constexpr const char* prometheus_content_type = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the figures of a client in Prometheus' text format.
///
/// The figures of locks are written twice, under names of their own, so that a sum over all series
/// of a name counts nothing twice. `zklock_NAME{lock="LABEL"}` has the locks of a label. Without
/// that label, `zklock_client_NAME` has all locks of the client. `zklock_build_info{version="..."}`
/// names the version of zklock.
///
/// A label may be any text. Bytes that are no UTF-8 are written as `\xNN`: Prometheus refuses the
/// whole page otherwise.
///
/// Thread safety: safe.
std::string prometheus_text(const stats& all);

} // namespace zklock::metrics
