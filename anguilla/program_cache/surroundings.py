"""Dependencies of a compiled program besides its function and arguments: sources, versions, options, processor."""

import functools
import hashlib
import os
import platform
import sys
import types
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import jax

from .fingerprint import Unnamed

# Packages that may be used in tracing, or whose objects our modules refer to. Their versions represent their content.
DEPENDENCIES = (
    *("jax", "jaxlib", "numpy", "scipy", "equinox", "diffrax", "optimistix", "lineax", "interpax", "optax"),
    *("jaxtyping", "ml_dtypes", "opt_einsum", "wadler_lindig", "typing_extensions", "xarray", "tqdm"),
    *("matplotlib", "PIL", "h5netcdf", "h5py", "zarr", "yourdfpy", "plotly", "capytaine", "jaxlie", "cma"),
)
_TRACED = ("jax", "jaxlib", "numpy", "equinox", "diffrax", "optimistix", "lineax", "interpax", "scipy", "optax")
_PLAIN = {types.FunctionType, str, int, float, bool, type(None), tuple, dict, types.GetSetDescriptorType}
_DISTRIBUTIONS = {"PIL": "pillow"}


@functools.cache
def machine() -> bytes:
    """Versions of Python and of all dependencies, with the checksums of their files, and the processor."""
    processor = Path("/proc/cpuinfo")
    lines = processor.read_text().splitlines() if processor.exists() else []
    features = next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())
    versions = [_installed(_DISTRIBUTIONS.get(name, name)) for name in DEPENDENCIES]
    return repr((sys.version, platform.platform(), platform.machine(), features, versions)).encode()


def _installed(name: str) -> tuple[str, str, str]:
    """A distribution, its version, and the digest of the list of its files and their checksums."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return name, "", ""
    record = found.read_text("RECORD") or ""
    return name, found.version, hashlib.sha256(record.encode()).hexdigest()


def jax_options() -> tuple[Any, ...]:
    """Current options of JAX in this thread."""
    return tuple([getattr(jax.config, name, None) for name in _option_names()])


def options() -> bytes:
    """Current options of JAX in this thread, and the environment variables that XLA and JAX read."""
    prefixes = ("JAX_", "XLA_", "LIBTPU_", "TF_", "CUDA_", "NVIDIA_")
    variables = sorted((k, v) for k, v in os.environ.items() if k.startswith(prefixes) and _matters(k))
    return repr((_option_names(), jax_options(), variables)).encode()


@functools.cache
def _option_names() -> tuple[str, ...]:
    return tuple(name for name in sorted(jax.config.values) if _matters(name))


def _matters(option: str) -> bool:
    """Whether an option may change a program; options of the compilation cache do not."""
    return "cache" not in option.lower()


def sources(packages: Iterable[str]) -> bytes:
    """The digest of every file of our packages, also of those not loaded yet: a traced function may import them."""
    digest = hashlib.sha256()
    for name in sorted(packages):
        module = sys.modules.get(name)
        for place in sorted(getattr(module, "__path__", ())):
            for file in sorted(Path(place).rglob("*")):
                if "__pycache__" not in file.parts and file.is_file():
                    stamp = file.stat()
                    content = _file(str(file), stamp.st_mtime_ns, stamp.st_size)
                    digest.update(f"{name}/{file.relative_to(place)}\0".encode() + content)
    return digest.digest()


@functools.cache
def _file(path: str, *_stamp: int) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


def guests(ours: Iterable[str]) -> bytes:
    """The digest of foreign functions in the namespaces of our dependencies, which their versions do not cover.

    A function imported from another installed package is represented by the file of its module. A function that a user
    has patched in has no fingerprint, because its dependencies are unknown.

    Raises:
        Unnamed: a dependency contains a function of the user.
    """
    own = {*DEPENDENCIES, *ours, *sys.stdlib_module_names, "__future__"}
    strangers = {id(vars(m)): m for n, m in list(sys.modules.items()) if _is_stranger(n, m, own)}
    found = set()
    for name, module in list(sys.modules.items()):
        if name.split(".", 1)[0] not in _TRACED or not isinstance(module, types.ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if type(value) is types.FunctionType:
                if id(value.__globals__) in strangers:
                    found.add((f"{name}.{key}", id(value.__globals__)))
            elif isinstance(value, type) and value.__module__ == name:
                for attribute, part in list(vars(value).items()):
                    inner = part if type(part) in _PLAIN else _inner(part)
                    if type(inner) is types.FunctionType and id(inner.__globals__) in strangers:
                        found.add((f"{name}.{key}.{attribute}", id(inner.__globals__)))
    return repr(sorted((place, _installed_file(place, strangers[guest])) for place, guest in found)).encode()


def _inner(part: Any) -> Any:
    """The function inside a method, a property or a wrapped method of equinox."""
    return getattr(part, "__func__", None) or getattr(part, "fget", None) or getattr(part, "method", None)


def _is_stranger(name: str, module: Any, own: set[str]) -> bool:
    return isinstance(module, types.ModuleType) and name.split(".")[0] not in own


def _installed_file(place: str, module: types.ModuleType) -> bytes:
    """The digest of the file of a module installed in the same environment as JAX."""
    file = Path(getattr(module, "__file__", None) or "")
    installed = Path(jax.__file__).parent.parent
    if not (file.is_file() and installed in file.parents):
        raise Unnamed(f"{place} is a function of {module.__name__}")
    stamp = file.stat()
    return _file(str(file), stamp.st_mtime_ns, stamp.st_size)
