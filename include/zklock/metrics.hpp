#pragma once

#include <zklock/metrics/exporter.hpp>
#include <zklock/metrics/prometheus_text.hpp>

/// @namespace zklock::metrics
///
/// Shows the figures of a client to Prometheus.
