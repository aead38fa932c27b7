"""Reading data: data sets, samplers, and `DataLoader`, which makes batches of them, with worker processes or without.

Names, arguments and meaning are those of ``torch.utils.data``.

- `dataset` and `sampler`: what is read, and in which order
- `collate`: batches from samples
- `fetch`: the two ways a data set is asked, by index and one after another
- `loader`: `DataLoader` and its iterators
- `pool`, `worker`, `messages`, `shared`: the processes, what they say to each other, and the memory they share
"""

from tscript.data.collate import default_collate, default_convert
from tscript.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from tscript.data.errors import LoaderTimeoutError, RemoteTraceback, WorkerError, WorkerExitError
from tscript.data.loader import DataLoader, LoaderIterator
from tscript.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
)
from tscript.data.worker import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "LoaderIterator",
    "LoaderTimeoutError",
    "RandomSampler",
    "RemoteTraceback",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WorkerError",
    "WorkerExitError",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]
