"""The state of a cache of calls (`functools.lru_cache`): a list of `WORDS` ints beside the dict of what it keeps."""

from typing import Final

LOCK: Final = 0
"""Where in the state the lock is: 1 while a kernel works on the cache and several threads run."""
HITS: Final = 1
MISSES: Final = 2
FIRST: Final = 3
"""Before this entry all are gone."""
WORDS: Final = 4
