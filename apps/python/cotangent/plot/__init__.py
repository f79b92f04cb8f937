# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and movies of cotangent result files: sections, time series, landscapes, energy errors, particles,
work-precision."""
