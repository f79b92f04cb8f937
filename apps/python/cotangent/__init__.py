# SPDX-License-Identifier: BSD-3-Clause
"""Cotangent from Python: long, faithful motion from the statement of a problem alone."""
