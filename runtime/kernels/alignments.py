"""Tier 3: how likely sequences of labels are, over all ways to align them with steps. ``T`` is float32 or float64.

Graves and others, "Connectionist Temporal Classification" (2006), doi:10.1145/1143844.1143891. Samples are divided
among threads.
"""

from __future__ import annotations

from tscript.dialect import Ptr, T, TensorImpl, address, context, function, i64, pointer, pointer_cast, stack
from tscript.dialect.vector_special import logaddexp
from tscript.runtime.kernels.memory import heap_free, heap_try_allocate, refuse
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.tensor import begin_work, sizes_of, strides_of, tensor_try_alloc

GRAIN = 1 << 12
"""States of steps that are worth another thread."""

TO, LOG_PROBS, TARGETS, INPUTS, LENGTHS, BLANK, ALPHA, WIDTH = range(8)
TASK = 8
"""Cells of a task; `LOG_PROBS` to `LENGTHS` are tensors."""


def number_of(t: Ptr[TensorImpl], at: i64) -> i64:
    """An element of a row of int64."""
    return pointer_cast(t.data, i64)[at * strides_of(t)[0]]


def label_of(targets: Ptr[TensorImpl], sample: i64, begin: i64, at: i64) -> i64:
    """A label of a sample, whose labels begin at `begin` where all are behind each other."""
    data = pointer_cast(targets.data, i64)
    if targets.ndim == 1:
        return data[(begin + at) * strides_of(targets)[0]]
    return data[sample * strides_of(targets)[0] + at * strides_of(targets)[1]]


def check_aligned(
    log_probs: Ptr[TensorImpl], targets: Ptr[TensorImpl], inputs: Ptr[TensorImpl], lengths: Ptr[TensorImpl], blank: i64
) -> i64:
    """The greatest number of labels of a sample. Raises RuntimeError where the arguments do not go together."""
    if log_probs.ndim != 3:
        raise RuntimeError("Expected 3-dimensional tensor, but got {0}-dimensional log_probs", i64(log_probs.ndim))
    steps = sizes_of(log_probs)[0]
    batch = sizes_of(log_probs)[1]
    labels = sizes_of(log_probs)[2]
    if log_probs.numel == 0:
        raise RuntimeError("log_probs tensor must not be empty")
    if blank < 0 or blank >= labels:
        raise RuntimeError("blank must be in label range: it is {0}, of {1} labels", blank, labels)
    if targets.ndim != 1 and targets.ndim != 2:
        raise RuntimeError("ctc_loss(): the targets have 1 or 2 dimensions, not {0}", i64(targets.ndim))
    if inputs.ndim != 1 or inputs.numel != batch:
        raise RuntimeError(
            "input_lengths must be of size batch_size: there are {0} for {1} samples", inputs.numel, batch
        )
    if lengths.ndim != 1 or lengths.numel != batch:
        raise RuntimeError(
            "target_lengths must be of size batch_size: there are {0} for {1} samples", lengths.numel, batch
        )
    most = targets.numel
    if targets.ndim == 2:
        most = sizes_of(targets)[1]
    width = 0
    total = 0
    for n in range(batch):
        value = number_of(inputs, n)
        if value < 0:
            raise RuntimeError("Expected input_lengths to have value at least 0, but got value {0}", value)
        if value > steps:
            raise RuntimeError("Expected input_lengths to have value at most {0}, but got value {1}", steps, value)
    for n in range(batch):
        value = number_of(lengths, n)
        if value < 0:
            raise RuntimeError("Expected target_lengths to have value at least 0, but got value {0}", value)
        if value > most:
            raise RuntimeError("Expected target_lengths to have value at most {0}, but got value {1}", most, value)
        total = total + value
        if value > width:
            width = value
    if targets.ndim == 1 and total != targets.numel:
        raise RuntimeError("Expected tensor to have size {0} at dimension 0, got {1}", total, targets.numel)
    if targets.ndim == 2 and sizes_of(targets)[0] != batch:
        raise RuntimeError(
            "Expected tensor to have size {0} at dimension 0, but got size {1}", batch, sizes_of(targets)[0]
        )
    begin = 0
    for n in range(batch):
        for i in range(number_of(lengths, n)):
            label = label_of(targets, n, begin, i)
            if label < 0 or label >= labels:
                raise RuntimeError("ctc_loss(): the target {0} is out of range: there are {1} labels", label, labels)
        begin = begin + number_of(lengths, n)
    return width


def sample_loss(task: Ptr[i64], sample: i64, begin: i64, alpha: Ptr[T]) -> T:
    """The loss of a sample, by the forward variables of its states, step by step: a state for each label, and one for a
    blank before each and behind the last one."""
    log_probs = pointer(task[LOG_PROBS], TensorImpl)
    targets = pointer(task[TARGETS], TensorImpl)
    blank = task[BLANK]
    steps = number_of(pointer(task[INPUTS], TensorImpl), sample)
    last = 2 * number_of(pointer(task[LENGTHS], TensorImpl), sample)
    impossible = T(-1.0e308) * T(1.0e308)
    if steps == 0:
        if last == 0:
            return -T(0)
        return -impossible
    strides = strides_of(log_probs)
    by_label = strides[2]
    row = pointer_cast(log_probs.data, T) + sample * strides[1]
    alpha[0] = row[blank * by_label]
    for s in range(1, last + 1):
        alpha[s] = impossible
    if last > 0:
        alpha[1] = row[label_of(targets, sample, begin, 0) * by_label]
    for _ in range(1, steps):
        row = row + strides[0]
        for k in range(last + 1):
            s = last - k
            label = blank
            over = impossible
            if s & 1 != 0:
                label = label_of(targets, sample, begin, s >> 1)
                if s > 2 and label != blank:
                    # A blank may be left out between different labels.
                    if label_of(targets, sample, begin, (s >> 1) - 1) != label:
                        over = alpha[s - 2]
            before = impossible
            if s > 0:
                before = alpha[s - 1]
            alpha[s] = logaddexp(logaddexp(alpha[s], before), over) + row[label * by_label]
    at_label = impossible
    if last > 0:
        at_label = alpha[last - 1]
    return -logaddexp(alpha[last], at_label)


def some_losses(task: Ptr[i64], first: i64, end: i64) -> None:
    """The losses of some samples."""
    lengths = pointer(task[LENGTHS], TensorImpl)
    begin = 0
    for n in range(first):
        begin = begin + number_of(lengths, n)
    for n in range(first, end):
        alpha = pointer(task[ALPHA], T) + n * (2 * task[WIDTH] + 1)
        pointer(task[TO], T)[n] = sample_loss(task, n, begin, alpha)
        begin = begin + number_of(lengths, n)


def aligned_losses(
    log_probs: Ptr[TensorImpl],
    targets: Ptr[TensorImpl],
    inputs: Ptr[TensorImpl],
    lengths: Ptr[TensorImpl],
    blank: i64,
) -> Ptr[TensorImpl]:
    """The losses of `torch.nn.functional.ctc_loss`, one for each sample.

    Args:
        log_probs: Of shape ``(steps, batch, labels)``.
        targets: int64, a row for each sample or all behind each other.
        inputs, lengths: int64, how many steps and labels each sample has.

    Raises RuntimeError where the arguments do not go together.
    """
    return losses(log_probs, targets, inputs, lengths, blank, T(0))


def losses(
    log_probs: Ptr[TensorImpl],
    targets: Ptr[TensorImpl],
    inputs: Ptr[TensorImpl],
    lengths: Ptr[TensorImpl],
    blank: i64,
    _element: T,
) -> Ptr[TensorImpl]:
    """The same. The last argument only binds ``T``."""
    width = check_aligned(log_probs, targets, inputs, lengths, blank)
    batch = sizes_of(log_probs)[1]
    nbytes = batch * (2 * width + 1) * 8
    alpha = heap_try_allocate(nbytes)
    if address(alpha) == 0:
        refuse(nbytes)
    shape = stack(1, i64)
    shape[0] = batch
    out = tensor_try_alloc(log_probs.dtype, 1, shape, batch)
    if address(out) == 0:
        heap_free(alpha, nbytes)
        refuse(batch * 8)
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[LOG_PROBS] = address(log_probs)
    task[TARGETS] = address(targets)
    task[INPUTS] = address(inputs)
    task[LENGTHS] = address(lengths)
    task[BLANK] = blank
    task[ALPHA] = address(alpha)
    task[WIDTH] = width
    of_one = sizes_of(log_probs)[0] * (2 * width + 1)
    begin_work(batch * of_one * 16)
    if batch * of_one > 2 * GRAIN:
        parallel(context(), function(some_losses), task, batch, GRAIN // of_one + 1)
    else:
        some_losses(task, 0, batch)
    heap_free(alpha, nbytes)
    return out
