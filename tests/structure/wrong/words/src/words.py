# SPDX-License-Identifier: Apache-2.0
"""Wrong on purpose."""


def liveness(name):
    """Says whether a thread waits for ever."""
    return f"in {name} " "nothing rests on it"
