"""What the module of the inter-op pool is made of: forked calls, the threads that run them, and waiting.

One queue behind one lock; all changes of a task's state happen under it (`queue`). `workers.fork_future` puts a future
into the queue and wakes or starts a thread, which runs it without the GIL. `waiting.wait_for` runs it itself if no
thread has begun it. The module is loaded at the first fork.
"""

from __future__ import annotations

from tscript.runtime.boundary.pool import (
    from_python,
    futures,
    python_tasks,
    queue,
    task_errors,
    uniform,
    waiting,
    workers,
)

MODULES = (queue, task_errors, futures, python_tasks, workers, waiting, from_python, uniform)
"""What `tscript.runtime.boundary.dialect_modules` makes one LLVM module of."""
