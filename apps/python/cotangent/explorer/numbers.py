# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as JSON has them."""

def number(value):
    """A float as JSON has it: None where it isn't finite."""
    value = float(value)
    return value if value - value == 0 else None
