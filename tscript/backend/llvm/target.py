"""`Target`: the machine that code is made for. llvmlite is imported to compile, never with this module."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

from tscript.abi import cpu
from tscript.digests import sha256
from tscript.late import dataclass, field


@dataclass(frozen=True)
class Target:
    """A machine.

    Attributes:
        triple: LLVM's name of it, ``x86_64-unknown-linux-gnu``.
        cpu: The processor to tune for; empty for the baseline of the architecture.
        features: LLVM's feature string, ``+avx2,-avx512f``. Code uses only these.
        is_host: Whether it is the machine of this process.

    Example:
        >>> Target("aarch64-unknown-linux-gnu", features="+neon").vector_bits
        128
    """

    triple: str
    cpu: str = ""
    features: str = ""
    is_host: bool = field(default=False, compare=False)

    @staticmethod
    def host() -> Target:
        """This machine."""
        return _host()

    @cached_property
    def key(self) -> str:
        """A short digest of triple, cpu and features: part of cache keys and of member names in archives."""
        return sha256("\n".join((self.triple, self.cpu, self.features)).encode()).hexdigest()[:16]

    @cached_property
    def architecture(self) -> str:
        """First part of the triple: ``x86_64``, ``aarch64``, ``wasm32`` …"""
        return self.triple.split("-", 1)[0]

    @cached_property
    def enabled(self) -> frozenset[str]:
        """The features that are switched on, without their sign."""
        return frozenset(f[1:] for f in self.features.split(",") if f.startswith("+"))

    def runs(self, triple: str, features: str) -> bool:
        """Whether code for a triple with these features runs on this machine. The C library does not matter."""
        needed = {f[1:] for f in features.split(",") if f.startswith("+")}
        machines = [t.split("-", 1)[0] for t in (triple, self.triple) if "linux" in t]
        is_same = triple == self.triple or (len(machines) == 2 and machines[0] == machines[1])
        return is_same and needed <= self.enabled

    @cached_property
    def vector_bits(self) -> int:
        """Width of the widest vector registers that code should use."""
        if self.architecture in ("x86_64", "i686", "i386"):
            return 512 if "avx512f" in self.enabled else 256 if "avx" in self.enabled else 128
        return 128

    @cached_property
    def data_layout(self) -> str:
        """LLVM's description of sizes and alignments."""
        return str(self.machine(0).target_data)

    @cached_property
    def attributes(self) -> str:
        """The attributes of every function: frame pointers for profilers, no unwinding, full vector width."""
        width = f' "prefer-vector-width"="{self.vector_bits}"' if self.vector_bits > 256 else ""
        return f'nounwind "frame-pointer"="all"{width}'

    def machine(self, level: int) -> Any:
        """The llvmlite `TargetMachine` that generates code at `level` (0 to 3).

        Raises:
            ValueError: LLVM does not know the triple.
        """
        return _machine(self, level)


@cache
def _initialised(everything: bool) -> None:
    from tscript.backend.llvm.library import binding

    if everything:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    else:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()


@cache
def _host() -> Target:
    known = cpu.host()
    if known is not None:
        return Target(*known, is_host=True)
    from tscript.backend.llvm.library import binding

    features = binding.get_host_cpu_features().flatten()
    return Target(binding.get_process_triple(), binding.get_host_cpu_name(), features, is_host=True)


@cache
def _machine(target: Target, level: int) -> Any:
    from tscript.backend.llvm.library import binding

    _initialised(not target.is_host)
    try:
        found = binding.Target.from_triple(target.triple)
    except RuntimeError as error:
        raise ValueError(f"unknown target {target.triple!r}: {error}") from None
    # Position-independent code in the default model: one object serves the session, the cache and a linker.
    return found.create_target_machine(
        cpu=target.cpu, features=target.features, opt=level, reloc="pic", codemodel="default"
    )
