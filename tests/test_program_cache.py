"""Attacks on stored programs: never a wrong number, never code from a foreign file. Only here is the cache on."""

import importlib
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import Future

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from anguilla.program_cache import directory, memory_maps, stored_programs, surroundings
from anguilla.program_cache.fingerprint import Fingerprint
from anguilla.program_cache.memory_maps import MemoryMaps
from anguilla.program_cache.stored_programs import ProgramCache
from cosserat.simulation import _record
from stepping.programs import LEVEL

X = jnp.asarray(0.7)
FLIPS = 100
SOURCE = """
import functools
import equinox as eqx
import jax
import jax.numpy as jnp

GAIN = 2.0
TABLE = {"offset": [0.25, 0.5]}
ARRAY = jnp.arange(3.0)

def scale(x, power=2, *, shift=0.0):
    return GAIN * x**power + shift

def other(x, power=2, *, shift=0.0):
    return 10.0 * x

def closed(k):
    return lambda x: k * x

LAW = closed(3.0)
HALF = functools.partial(scale, power=3)

class Law(eqx.Module):
    factor: jax.Array
    order: int = eqx.field(static=True, default=1)

    def __call__(self, x):
        return self.factor * x**self.order

def total(x, law):
    return {"value": law(x) + scale(x) + LAW(x) + HALF(x) + TABLE["offset"][1] + ARRAY.sum(), "name": "total"}
"""


def value_of(law, gain=2.0, power=2, shift=0.0, k=3.0, half=3, offset=0.5, array=3.0):
    x = float(X)
    return law(x) + gain * x**power + shift + k * x + gain * x**half + shift + offset + array


class Sessions:
    """Runs `lab.total` as sessions that follow each other would; counts what was compiled and what was stored."""

    def __init__(self, folder, programs, monkeypatch):
        self.package, self.programs, self.compiled = folder / "lab", programs, 0
        self.package.mkdir()
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setattr(stored_programs, "SHARED", (*stored_programs.SHARED, "lab"))
        compile_ = stored_programs._compile

        def counted(*args):
            self.compiled += 1
            return compile_(*args)

        monkeypatch.setattr(stored_programs, "_compile", counted)

    def begin(self, source=SOURCE):
        """Imports the module anew."""
        for name in [name for name in sys.modules if name.split(".")[0] == "lab"]:
            del sys.modules[name]
        (self.package / "__init__.py").write_text(source)
        importlib.invalidate_caches()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
            lab = importlib.import_module("lab")
            sys.dont_write_bytecode = before
        self.cache = ProgramCache(self.programs, MemoryMaps(limit=0))
        return lab

    def run(self, lab, law=None, x=X):
        """The result, and whether it was compiled in this session by name, or loaded."""
        law = lab.Law(jnp.asarray(2.0)) if law is None else law
        before = self.compiled
        found = self.cache(lab.total, eqx.filter_jit(lab.total), (x, law))
        assert found["name"] == "total"
        return float(found["value"]), self.compiled > before

    @property
    def files(self):
        return sorted(self.programs.glob("*.program"))


@pytest.fixture
def sessions(tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    directory.make_private(programs)
    yield Sessions(tmp_path, programs, monkeypatch)
    for name in [name for name in sys.modules if name.split(".")[0] == "lab"]:
        del sys.modules[name]


LINEAR = value_of(lambda x: 2.0 * x)


def test_a_second_session_compiles_nothing(sessions):
    assert sessions.run(sessions.begin()) == (pytest.approx(LINEAR, rel=1e-15), True)
    lab = sessions.begin()
    assert sessions.run(lab) == (pytest.approx(LINEAR, rel=1e-15), False) and len(sessions.files) == 1
    again = sessions.run(lab, lab.Law(jnp.asarray(5.0)))  # arrays are arguments of a program
    assert again == (pytest.approx(value_of(lambda x: 5.0 * x), rel=1e-15), False)


def test_a_program_begun_ahead_serves_the_call(sessions):
    lab = sessions.begin()
    law = lambda factor: lab.Law(jnp.asarray(factor))  # noqa: E731
    sessions.cache.ahead(lab.total, (jnp.zeros_like(X), law(0.0)))  # other numbers of the same types
    assert sessions.run(lab)[0] == pytest.approx(LINEAR, rel=1e-15)
    assert sessions.compiled == 1 and len(sessions.files) == 1
    # Other types are compiled by the call, and a function that has been called is not begun again.
    sessions.cache.ahead(lab.total, (jnp.zeros(7), law(0.0)))
    five = sessions.cache(lab.total, eqx.filter_jit(lab.total), (jnp.full(5, X), law(2.0)))
    np.testing.assert_allclose(five["value"], LINEAR, rtol=1e-15)
    assert sessions.compiled == 2


def test_an_error_while_compiling_ahead_is_raised_by_the_call(sessions):
    lab = sessions.begin()
    refused = jnp.zeros((2, 3, 4)), "no law"
    sessions.cache.ahead(lab.total, refused)
    with pytest.raises(TypeError, match="not callable"):
        sessions.cache(lab.total, eqx.filter_jit(lab.total), refused)


@pytest.mark.slow
def test_a_first_swim_calls_what_it_began_ahead(tmp_path, monkeypatch):
    """Otherwise a first swim would compile its record and its estimate twice."""
    directory.make_private(tmp_path / "programs")
    cache = ProgramCache(tmp_path / "programs", MemoryMaps(limit=0))
    monkeypatch.setattr("anguilla.program_cache._cache", cache)
    body = cosserat.rod(1.0, 0.03, 0.05)
    cosserat.simulate(body, gaits.planar(wavelength=2.0), hydro.Morison(), t1=2.0, samples=9, progress=False)
    named = {function.__name__: list(known.values()) for function, known in cache._ready.items()}
    assert {"_record", "error_and_limits_once", "_integrate"} <= set(named)
    for programs in named.values():
        assert len(programs) == 1 and not isinstance(programs[0], Future)


@pytest.mark.slow
def test_a_swim_leaves_no_trace_in_the_names():
    """State that runs leave in a module would change the names of all programs, or take them away."""

    def names():
        ours = [name for name in (*stored_programs.SHARED, *stored_programs.ENGINES) if name in sys.modules]
        return Fingerprint([*ours, "anguilla"], surroundings.DEPENDENCIES).modules(ours)

    body, law = cosserat.rod(1.0, 0.03, 0.05), gaits.planar(wavelength=2.0)
    swim = lambda gait: cosserat.simulate(body, gait, hydro.Morison(), t1=0.1, samples=3, progress=False)  # noqa: E731
    swim(law)  # imports what a run needs
    before = names()
    swim(lambda X, t: law(X, t))
    assert names() == before


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("GAIN = 2.0", "GAIN = 2.5", {"gain": 2.5}),
        ("GAIN = 2.0", "GAIN = 2.0000000000000004", {"gain": 2.0000000000000004}),
        ('"offset": [0.25, 0.5]', '"offset": [0.25, 0.75]', {"offset": 0.75}),
        ("jnp.arange(3.0)", "2.0 * jnp.arange(3.0)", {"array": 6.0}),
        ("power=2, *, shift=0.0):\n    return GAIN", "power=4, *, shift=0.0):\n    return GAIN", {"power": 4}),
        ("shift=0.0):\n    return GAIN", "shift=1.0):\n    return GAIN", {"shift": 1.0}),
        ("LAW = closed(3.0)", "LAW = closed(4.0)", {"k": 4.0}),
        ("return lambda x: k * x", "return lambda x: 2 * k * x", {"k": 6.0}),
        ("partial(scale, power=3)", "partial(scale, power=5)", {"half": 5}),
        ("partial(scale, power=3)", "partial(other)", None),
        ("self.factor * x**self.order", "3.0 * self.factor * x**self.order", None),
    ],
)
def test_an_edited_module_is_compiled_anew(sessions, old, new, expected):
    """A constant, a table, an array, defaults, closures, partial functions, a method."""
    sessions.run(sessions.begin())
    lab = sessions.begin(SOURCE.replace(old, new, 1))
    assert new in (sessions.package / "__init__.py").read_text()
    found, compiled = sessions.run(lab)
    right = float(lab.total(X, lab.Law(jnp.asarray(2.0)))["value"])
    assert compiled and found == pytest.approx(right, rel=1e-15) and len(sessions.files) == 2
    assert expected is None or right == pytest.approx(value_of(lambda x: 2.0 * x, **expected), rel=1e-15)


def set_default(lab):
    lab.scale.__defaults__ = (4,)


def set_keyword_default(lab):
    lab.scale.__kwdefaults__["shift"] = 1.0


def set_cell(lab):
    lab.LAW.__closure__[0].cell_contents = 4.0


LIVE = {
    "constant": lambda lab: setattr(lab, "GAIN", 2.5),
    "entry of a table": lambda lab: lab.TABLE["offset"].__setitem__(1, 0.75),
    "array": lambda lab: setattr(lab, "ARRAY", 2.0 * lab.ARRAY),
    "function of ours": lambda lab: setattr(lab, "scale", lab.other),
    "code": lambda lab: setattr(lab.scale, "__code__", lab.other.__code__),
    "default": set_default,
    "keyword default": set_keyword_default,
    "closure": set_cell,
    "partial": lambda lab: lab.HALF.keywords.__setitem__("power", 5),
    "method of ours": lambda lab: setattr(lab.Law, "__call__", lambda self, x: 7.0 * x),
    "function of a user": lambda lab: setattr(lab, "scale", lambda x, power=2: 11.0 * x),
}


@pytest.mark.parametrize("change", LIVE.values(), ids=LIVE.keys())
def test_what_is_replaced_in_a_live_module_is_seen(sessions, change):
    """The file on disk stays as it was."""
    sessions.run(sessions.begin())
    lab = sessions.begin()
    change(lab)
    right = float(lab.total(X, lab.Law(jnp.asarray(2.0)))["value"])
    found, _ = sessions.run(lab)
    assert right != pytest.approx(LINEAR, rel=1e-6) and found == pytest.approx(right, rel=1e-15)
    assert sessions.run(sessions.begin()) == (pytest.approx(LINEAR, rel=1e-15), False)


def test_what_users_write_is_never_stored(sessions):
    """Functions, and a class of one name that is defined twice: their code may change without a trace."""
    lab = sessions.begin()
    for factor in (2.0, 3.0):

        class Mine(lab.Law):
            def __call__(self, x, factor=factor):
                return factor * x

        for law in (Mine(jnp.asarray(1.0)), lambda x, factor=factor: factor * x):
            expected = value_of(lambda x, factor=factor: factor * x)
            assert sessions.run(sessions.begin(), law) == (pytest.approx(expected, rel=1e-15), False)
    assert not sessions.files


def test_a_program_of_another_optimisation_level_has_another_name(sessions, monkeypatch):
    """The level is compiled into a program; its digits may differ in the last place."""
    lab = sessions.begin()
    leaves, args = [X], (X, lab.LAW)
    names = {stored_programs.program_name(lab.total, leaves, args)}
    for level in (0, 1, 3):
        monkeypatch.setattr(lab.total, LEVEL, level, raising=False)
        names.add(stored_programs.program_name(lab.total, leaves, args))
        assert sessions.run(lab)[0] == pytest.approx(LINEAR, rel=1e-15)
    assert len(names) == 4 and stored_programs.LEVEL == LEVEL


def test_levels_given_by_the_decorator_are_in_the_names():
    """For the functions of the engines, whose names lead to their wrappers."""
    made = []
    for level in (1, 2):
        namer = Fingerprint([*stored_programs.SHARED, *stored_programs.ENGINES], surroundings.DEPENDENCIES)
        inner = _record.__wrapped__
        before, found = getattr(inner, LEVEL), None
        try:
            setattr(inner, LEVEL, level)
            found = namer.of(inner)
        finally:
            setattr(inner, LEVEL, before)
        made.append(found)
    assert made[0] != made[1]


def test_static_values_are_told_apart(sessions):
    lab = sessions.begin()
    values = [sessions.run(lab, lab.Law(jnp.asarray(2.0), order=order)) for order in (1, 2, 3)]
    assert values == [
        (pytest.approx(value_of(lambda x, n=n: 2.0 * x**n), rel=1e-15), True) for n in (1, 2, 3)
    ] and len(sessions.files) == 3  # fmt: skip
    weak = sessions.run(lab, x=jnp.asarray(0.7, jnp.float32))
    assert weak[1] and weak[0] != values[0][0]


def test_a_patched_dependency_has_no_name(sessions, monkeypatch):
    lab = sessions.begin()
    sessions.run(lab)
    monkeypatch.setattr(jnp, "linspace", lambda *args: None)
    lab = sessions.begin()
    assert sessions.run(lab) == (pytest.approx(LINEAR, rel=1e-15), False) and len(sessions.files) == 1
    monkeypatch.undo()


def test_other_versions_options_and_flags(sessions, monkeypatch):
    sessions.run(sessions.begin())

    def compiled_anew():
        count = len(sessions.files)
        found, compiled = sessions.run(sessions.begin())
        assert found == pytest.approx(LINEAR, rel=1e-15)
        return compiled and len(sessions.files) == count + 1

    assert not compiled_anew()
    with jax.default_matmul_precision("float32"):
        assert compiled_anew()
    monkeypatch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", "") + " --xla_cpu_enable_fast_math=true")
    assert compiled_anew()
    real = surroundings._installed
    monkeypatch.setattr(
        surroundings, "_installed", lambda name: (*real(name)[:1], "0.0.1", "") if name == "jaxlib" else real(name)
    )
    surroundings.machine.cache_clear()
    assert compiled_anew() and not compiled_anew()
    monkeypatch.undo()
    surroundings.machine.cache_clear()


def test_a_lazily_imported_module_is_part_of_the_name(sessions):
    """It is read when the function is traced, after the name is made."""
    source = (
        SOURCE + "\ndef total(x, law):\n    from .late import late\n    return {'value': late(x), 'name': 'total'}\n"
    )
    for factor in (2.0, 3.0):
        (sessions.package / "late.py").write_text(f"def late(x):\n    return {factor} * x\n")
        assert sessions.run(sessions.begin(source)) == (pytest.approx(factor * 0.7, rel=1e-15), True)


def test_inside_other_programs_it_is_traced(sessions):
    lab = sessions.begin()
    slope = jax.grad(lambda x: sessions.cache(lab.total, eqx.filter_jit(lab.total), (x, lab.Law(X)))["value"])(X)
    assert slope == pytest.approx(0.7 + 4 * 0.7 + 3 + 6 * 0.49, rel=1e-14) and not sessions.files


def test_a_program_that_calls_back_is_not_stored(sessions):
    seen = []
    lab = sessions.begin(SOURCE.replace("def total(x, law):", "def total(x, law):\n    jax.debug.callback(NOTE, x)"))
    lab.NOTE = seen.append
    assert sessions.run(lab)[0] == pytest.approx(LINEAR, rel=1e-15)
    assert len(seen) == 1 and not sessions.files


def stored(sessions):
    """A stored program: its file, its content and its name."""
    sessions.run(sessions.begin())
    (file,) = sessions.files
    content = file.read_bytes()
    name = pickle.loads(content[len(stored_programs.MAGIC) + 32 :])[0]
    return file, content, name


def test_flipped_and_cut_files_are_compiled_again(sessions):
    file, content, name = stored(sessions)
    for bit in np.random.default_rng(4).choice(8 * len(content), FLIPS, replace=False):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << int(bit) % 8
        file.write_bytes(changed)
        assert stored_programs._load(file, name) is None
    for part in (0.0, 0.3, 0.999):
        file.write_bytes(content[: int(part * len(content))])
        assert stored_programs._load(file, name) is None
    assert sessions.run(sessions.begin()) == (pytest.approx(LINEAR, rel=1e-15), True)
    assert sessions.run(sessions.begin()) == (pytest.approx(LINEAR, rel=1e-15), False)


def test_a_program_under_another_name_is_not_used(sessions):
    file, content, name = stored(sessions)
    assert stored_programs._load(file, name) is not None and stored_programs._load(file, name[::-1]) is None


class Plant:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return open, (str(self.trace), "w")


@pytest.mark.parametrize("way", ["writable folder", "file of another user", "writable file", "link"])
def test_planted_files_are_never_read(sessions, tmp_path, monkeypatch, way):
    file, _, name = stored(sessions)
    trace, content = tmp_path / "trace", pickle.dumps((name, Plant(tmp_path / "trace"), None))
    planted = stored_programs.MAGIC + stored_programs.hashlib.sha256(content).digest() + content
    file.write_bytes(planted)
    if way == "writable folder":
        sessions.programs.chmod(0o777)
    elif way == "file of another user":
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    elif way == "writable file":
        file.chmod(0o666)
    else:
        (tmp_path / "elsewhere").write_bytes(planted)
        file.unlink()
        file.symlink_to(tmp_path / "elsewhere")
    assert sessions.run(sessions.begin()) == (pytest.approx(LINEAR, rel=1e-15), True)
    assert not trace.exists()


def test_the_folder_is_the_users_alone(tmp_path, monkeypatch, capsys):
    from anguilla import program_cache

    monkeypatch.setenv("ANGUILLA_CACHE", str(tmp_path / "deep" / "cache"))
    before = program_cache._directory
    assert program_cache.switch_on() == tmp_path / "deep" / "cache"
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    (tmp_path / "deep" / "cache").chmod(0o755)  # others may look into it: closed
    assert program_cache.switch_on() is not None
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    (tmp_path / "deep" / "cache").chmod(0o770)  # others may have written to it: not used
    assert program_cache.switch_on() is None and "other users may write" in capsys.readouterr().err
    program_cache._directory, program_cache._cache = before, None


def test_the_folder_is_bounded(tmp_path):
    for k in range(5):
        (tmp_path / f"{k}.program").write_bytes(bytes(100))
        os.utime(tmp_path / f"{k}.program", (k, k))
    directory.prune(tmp_path, most=250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3.program", "4.program"]


def test_programs_are_released_before_memory_maps_run_out(sessions, monkeypatch):
    lab, counted, released = sessions.begin(), [10], []
    monkeypatch.setattr(memory_maps, "count", lambda: counted[0])
    monkeypatch.setattr(jax, "clear_caches", lambda: released.append(len(sessions.cache._ready)))
    maps = MemoryMaps(limit=100, every=1)
    sessions.cache = ProgramCache(sessions.programs, maps)
    laws = [lambda x, k=k: k * x for k in (1.0, 2.0, 3.0)]
    assert sessions.run(lab, laws[0])[0] == pytest.approx(value_of(laws[0]), rel=1e-15) and not maps.crowded
    counted[0] = 60
    assert sessions.run(lab, laws[1])[0] == pytest.approx(value_of(laws[1]), rel=1e-15) and maps.crowded
    assert not released
    counted[0] = 20
    assert sessions.run(lab, laws[2])[0] == pytest.approx(value_of(laws[2]), rel=1e-15) and released == [0]
    counted[0] = 90
    with pytest.warns(RuntimeWarning, match="90% of its 100 memory maps"):
        sessions.run(lab, lambda x: x)
    monkeypatch.undo()
    jax.monitoring.unregister_event_duration_listener(maps._on_event)


GAITS = """
import anguilla, jax, jax.numpy as jnp
from anguilla.program_cache import memory_maps
from stepping import KIND

@KIND
def total(law, x):
    return jnp.sum(jax.vmap(law)(x))

total(jnp.sin, jnp.ones(8))
base = memory_maps.count()
memory_maps._limit = lambda: 2 * (base + 200)  # released at half of it
anguilla.program_cache._cache = None
now = peak = base
opened = 0
for k in range(320):
    assert abs(total(lambda x, k=k: jnp.cos(k * x), jnp.ones(8)) - 8 * jnp.cos(k)) < 1e-12
    before, now = now, memory_maps.count()
    opened, peak = opened + max(now - before, 0), max(peak, now)
print(base, peak, opened)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["program", "unstored_program"])
def test_memory_maps_of_many_user_written_laws_stay_bounded(kind):
    """Each law is a program of its own, used once; counts are those of the system, the limit is a lower one."""
    env = os.environ | {"ANGUILLA_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", GAITS.replace("KIND", kind)], env=env, capture_output=True, text=True, check=True
    )
    base, peak, opened = map(int, done.stdout.split())
    assert opened > 600 and peak - base < 300, (base, peak, opened)


SWIM = """
import jax
traced = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **about: traced.append(about.get("fun_name")) if "trace" in event else None)
import anguilla, cosserat, gaits, hydro
body = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
path = cosserat.Panels(order=8)
run = cosserat.simulate(body, gaits.planar(), hydro.Void(), t1=0.2, samples=3, path=path, progress=False)
print(run.head_twist.values.tobytes().hex(), run.internal_moment.values.tobytes().hex(), "_record" in str(traced))
"""


@pytest.mark.slow
def test_a_swim_in_another_process(tmp_path):
    """The same bits, from programs of another process, and no tracing."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")} | {"ANGUILLA_CACHE": str(tmp_path / "c")}
    run = lambda: subprocess.run([sys.executable, "-c", SWIM], env=env, capture_output=True, text=True, check=True)  # noqa: E731
    first, second = (run().stdout.split() for _ in range(2))
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == ("True", "False")
    assert np.isfinite(np.frombuffer(bytes.fromhex(first[0]))).all()


def test_all_our_modules_have_names():
    """An object at module level that cannot be digested would turn the cache off for every program."""
    import cosserat
    import multibody

    ours = (*stored_programs.SHARED, *stored_programs.ENGINES, "anguilla")
    namer = Fingerprint(ours, surroundings.DEPENDENCIES)
    for package in ours[:-1]:
        assert namer.modules([package]) == namer.modules([package]), package
    assert namer.of((cosserat.eel(), multibody.Tree, gaits.planar()))


OWN_PROGRAMS = """
import anguilla, jax, jax.numpy as jnp, gaits
from anguilla.program_cache import memory_maps
from stepping import program

memory_maps._limit = lambda: int(memory_maps.count() / 0.9)
jax.jit(program(jnp.sin))(1.0)
for k in range(16):
    jax.jit(lambda x: k * x)(1.0)
"""


def test_programs_of_the_user_announce_the_limit_where_python_shows_it():
    """What a user compiles with `jax.jit` cannot be released for them; Python hides some categories by default."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"} | {"ANGUILLA_CACHE": "off"}
    done = subprocess.run([sys.executable, "-c", OWN_PROGRAMS], env=env, capture_output=True, text=True, check=True)
    assert "memory maps, most of them for compiled programs" in done.stderr and "jax.clear_caches()" in done.stderr
