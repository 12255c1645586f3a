"""``python -m tests.golden``."""

from tests.golden import write

write()
