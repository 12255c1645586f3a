"""Numba at arm's length: every use of what Numba keeps to itself stands in this file.

Tried with Numba 0.68.1, llvmlite 0.50.0 and NumPy 2.4.6; ``pyproject.toml`` says which versions are let in. With
another one, run ``tests/test_kernel_cache.py`` and ``tests/test_conformance.py``, and compare what ``bench`` says.

Left to itself Numba makes a library of every function: optimised, turned into machine code, wrapped for Python and for
C, written to disk; and then puts it into every caller and does all that again. Here a :class:`Kernel` that another
kernel calls is only *lowered*, once for the types of its arguments, and a literal number is just a number. What Python
or the match loop calls is a *unit*: one module of all that it reaches, optimised once, one file in ``engine/cache.py``.

The key of a unit is content alone: the sources that it may be made from, compiler, processor, flags, types. So any
process, checkout or installed copy of the same bytes finds what another one has left.

A unit may be *guarded*: then array indices are checked, and each turn of a loop and each call of a kernel is a step of
which its caller has allowed so many. Guarded or not, what does neither wrong gives the same answer.
"""

from __future__ import annotations

import ctypes
import dis
import functools
import hashlib
import os
import pickle
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import llvmlite.ir as llvm_ir
import numba
import numpy as np
from numba import _dynfunc, types
from numba.core import cgutils, compiler, event, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.callconv import CPUCallConv
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.environment import Environment, lookup_environment
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.runtime import _nrt_python, rtsys
from numba.core.serialize import dumps
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.core.typing import make_concrete_template, signature
from numba.extending import intrinsic

from engine import cache
from engine.faults import FAULT, RAISED

INTERPRETED = bool(numba.config.DISABLE_JIT)
FORMAT = 2  # of what is kept of a unit

# The settings of Numba that change what is compiled from the same source.
_FLAGS = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_OPT",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    "NUMBA_DEBUGINFO",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_SLP_VECTORIZE",
)
_STEPS = "hilltop_steps"  # in a guarded unit: how many steps are left
MOST_STEPS = 2**62
_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of the globals begin that point to a function's constants

Arguments = tuple[Any, ...]  # Numba types
Entry = tuple["Kernel", Arguments]


class Lowered(JITCodeLibrary):  # type: ignore[misc]
    """A kernel in LLVM's language, as it was lowered. It is linked into units, and never runs itself."""

    def finalize(self) -> None:
        """Nothing is optimised before it is in a unit."""
        self._finalized = True

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    @property
    def module(self) -> Any:
        """The module of this kernel alone."""
        return self._final_module

    @property
    def linked(self) -> Sequence[Any]:
        """The libraries of what it calls."""
        return self._linking_libraries  # type: ignore[no-any-return]

    def _get_module_for_linking(self) -> Any:
        """For a function of Numba's own kind that calls the kernel: all that it needs."""
        whole = llvm.parse_assembly(str(self._codegen._create_empty_module(self.name)))
        _link(whole, [self])
        for function in whole.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        return whole


def _link(module: Any, libraries: Iterable[Any]) -> set[Any]:
    """Put these libraries and all they call into ``module``, each once; return them."""
    seen: set[Any] = set()
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in seen:
            seen.add(library)
            if isinstance(library, Lowered):
                waiting += library.linked
                module.link_in(library.module, preserve=True)
            else:
                module.link_in(library._get_module_for_linking(), preserve=True)
    return seen


class _Unit(JITCodeLibrary):  # type: ignore[misc]
    """The module of a unit while it is made."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout


class OutOfSteps(Exception):
    """A guarded unit has made all the steps that it was allowed."""


class _Located(CPUCallConv):  # type: ignore[misc]
    """Exceptions say in which line they came up, those of checked indices too."""

    def return_user_exc(
        self, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = ""
    ) -> None:
        """See Numba."""
        super().return_user_exc(builder, exc, exc_args, loc or self.context.at, func_name)


class _Locating(CPUContext):  # type: ignore[misc]
    """``at`` is what is being lowered."""

    at: Any = None

    @property
    def call_conv(self) -> Any:
        """See Numba."""
        return _Located(self)


class _CountingLower(Lower):  # type: ignore[misc]
    """Has each call and each turn of a loop take a step."""

    def pre_lower(self) -> None:
        """See Numba."""
        super().pre_lower()
        self.context.__class__ = _Locating  # which Numba has made for this function alone
        loops = compute_cfg_from_blocks(self.blocks).loops().values()
        self._counted = [self.blocks[place] for place in {min(self.blocks), *(loop.header for loop in loops)}]

    def lower_inst(self, inst: Any) -> None:
        """See Numba."""
        self.context.at = inst.loc
        super().lower_inst(inst)

    def pre_block(self, block: Any) -> None:
        """See Numba."""
        super().pre_block(block)
        if not any(block is one for one in self._counted):
            return
        kind = llvm_ir.IntType(64)
        left = self.module.globals.get(_STEPS)
        if left is None:
            left = llvm_ir.GlobalVariable(self.module, kind, _STEPS)
            left.initializer, left.linkage = kind(MOST_STEPS), "linkonce_odr"
        rest = self.builder.sub(self.builder.load(left), kind(1))
        self.builder.store(rest, left)
        with cgutils.if_unlikely(self.builder, self.builder.icmp_signed("<", rest, kind(0))):
            self.return_exception(OutOfSteps, ("too many steps",), block.loc)


@register_pass(mutates_CFG=True, analysis_only=False)
class _CountingLowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "hilltop_counting_lowering"

    @property
    def lowering_class(self) -> Any:
        """See Numba."""
        return _CountingLower


class _Guarded(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's own way from Python to LLVM's language, with steps counted."""

    def define_pipelines(self) -> list[Any]:
        """See Numba."""
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(_CountingLowering if one is NativeLowering else one, what) for one, what in manager.passes]
        manager._finalized = False
        manager.finalize()
        return [manager]


class Made(NamedTuple):
    """What is kept of a unit: machine code, and for each entry the names of its code and what it returns."""

    code: bytes
    entries: list[tuple[str, str, str, Any]]  # function, wrapper for Python, environment, type of the answer
    environments: list[tuple[str, list[Any]]]  # name, constants (of exceptions)
    steps: str = ""  # the name of what counts its steps, if it does


class Overload(NamedTuple):
    """A kernel compiled for some types, ready to be called: ``address`` by other code, ``entry_point`` by Python."""

    signature: Any
    entry_point: Any
    address: int
    objectmode: bool = False
    steps: int = 0  # the address of an int64, how many steps are left; 0 where none are counted


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled when it is needed; see the top of this file.

    ``files`` are the sources it may be made from, ``label`` tells apart functions that are bound from one template.
    """

    def __init__(self, function: Any, files: Any, inline: bool, allocates: bool, label: str) -> None:
        options = {"nopython": True, "boundscheck": None, "error_model": "numpy", "forceinline": inline}
        super().__init__(function, targetoptions=options)
        self.files = files
        self.allocates = allocates
        self.label = label
        # By types, whether users of arrays are counted, and whether it is guarded.
        self._lowered: dict[tuple[Arguments, bool, bool], Any] = {}
        self.guarded: dict[Arguments, Overload] = {}

    # ------------------------------------------------ called by a kernel

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How Numba asks for the kernel in typing a caller: lowered for plain numbers in the place of literal ones."""
        shape, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(map(_plain, args))
        flags = ConfigStack.top_or_none()
        found = self.lowered(args, flags.nrt, _is_guarded(flags))
        name = self.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", key=name, signatures=[found.signature])
        return template, shape, args, {}

    def get_overload(self, args: Any) -> Any:
        """How Numba names the kernel in lowering a caller."""
        flags = ConfigStack.top_or_none()
        return self._lowered[tuple(args), flags.nrt, _is_guarded(flags)].library

    @global_compiler_lock
    def lowered(self, args: Arguments, counts: bool, guarded: bool = False) -> Any:
        """The kernel for these types, typed and lowered. ``counts``: does it count who uses an array?"""
        known = self._lowered.get((args, counts, guarded))
        if known is None:
            details = {"dispatcher": self, "args": args, "return_type": None}
            with self._compiling_counter, event.trigger_event("numba:compile", data=details):
                flags = compiler.Flags()
                options = {**self.targetoptions, "_nrt": counts}
                self.targetdescr.options.parse_as_flags(flags, options | ({"boundscheck": True} if guarded else {}))
                flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
                self.targetctx.refresh()
                library = Lowered(self.targetctx.codegen(), self.py_func.__qualname__)
                known = compiler.compile_extra(
                    self.typingctx, self.targetctx, self.py_func, args, None, flags, {}, library,
                    _Guarded if guarded else compiler.Compiler,
                )  # fmt: skip
                self.targetctx.insert_user_function(library, known.fndesc, [library])
            self._lowered[args, counts, guarded] = known
        return known

    # ------------------------------------------------ called by Python, or by address

    def compile(self, sig: Any) -> Any:
        """Have a unit of this kernel alone, from the cache or compiled; return what Python calls."""
        args = tuple(sig)
        if args not in self.overloads:
            have([(self, args)])
        return self.overloads[args].entry_point

    def guard(self, sig: Any) -> Overload:
        """The same with its indices checked and its steps counted; see :attr:`Overload.steps`."""
        args = tuple(sig)
        if args not in self.guarded:
            have([(self, args)], guarded=True)
        return self.guarded[args]

    def add_overload(self, found: Overload) -> None:
        """A unit has been loaded."""
        args = tuple(found.signature.args)
        self._insert([kind._code for kind in args], found.entry_point, False)
        self.overloads[args] = found

    @property
    def identity(self) -> tuple[Any, ...]:
        """What it is called in the key of a unit, wherever its file lies."""
        code = self.py_func.__code__
        where = cache.shown(Path(code.co_filename)), self.py_func.__qualname__, code.co_firstlineno
        return (*where, self.label, self.allocates)

    def reached(self) -> Iterator[Any]:
        """This kernel and all kernels and other callables that it names, and those that they name."""
        seen: set[int] = set()
        waiting: list[Any] = [self]
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                if isinstance(one, Kernel):
                    waiting += _named(one.py_func)


def _is_guarded(flags: Any) -> bool:
    """Is the caller that is being compiled? (With NUMBA_BOUNDSCHECK all that is called is, and counts for nobody.)"""
    return bool(flags.boundscheck)


def _plain(kind: Any) -> Any:
    """The type of a number instead of that number: no kernel is compiled anew for each number it is called with."""
    if isinstance(kind, types.Omitted) and isinstance(kind.value, (bool, int, float)):
        return types.unliteral(numba.typeof(kind.value))
    if isinstance(kind, (types.IntegerLiteral, types.BooleanLiteral)):
        return types.unliteral(kind)
    return kind


def _named(function: Any) -> Iterator[Any]:
    """What the names in a function's code mean, as far as it can be called."""
    values = {**function.__globals__, **dict(zip(function.__code__.co_freevars, _cells(function), strict=False))}
    names = set(_names(function.__code__))
    for name in names:
        value = values.get(name)
        if isinstance(value, ModuleType):
            yield from filter(callable, (getattr(value, attribute, None) for attribute in names))
        elif callable(value):
            yield value


def _cells(function: Any) -> list[Any]:
    return [cell.cell_contents for cell in function.__closure__ or ()]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


# ---------------------------------------------------------------- units


@functools.cache
def _compiler() -> str:
    """What turns sources into code: versions and processor."""
    versions = (FORMAT, sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
    return repr((versions, CPUDispatcher.targetdescr.target_context.codegen().magic_tuple()))


def key(entries: Sequence[Entry], guarded: bool = False) -> str:
    """The name of a unit (hex)."""
    files = sorted({path for kernel, _ in entries for path in kernel.files()})
    content = (
        cache.source_hash(files),
        _compiler(),
        [(flag, os.environ.get(flag)) for flag in _FLAGS],
        [(kernel.identity, [str(kind) for kind in args]) for kernel, args in entries],
        *(["guarded"] if guarded else []),
    )
    return hashlib.sha256(repr(content).encode()).hexdigest()[:40]


def kept(entries: Sequence[Entry], guarded: bool = False) -> bool:
    """Need this unit not be compiled?"""
    name = key(entries, guarded)
    return name in _loaded or cache.read(name) is not None


_loaded: dict[str, tuple[Made, Any]] = {}  # units in this process, with their libraries, by key


@global_compiler_lock
def have(entries: Sequence[Entry], guarded: bool = False) -> None:
    """Load a unit from the cache, or compile it and keep it there."""
    name = key(entries, guarded)
    if name not in _loaded:
        made = _read(name)
        if made is None:
            with cache.locked(name):  # another process may be at it
                made = _read(name)
                if made is None:
                    made = _make(entries, f"hilltop_{name}", guarded)
                    cache.write(name, dumps(made))
        _loaded[name] = made, _load(made, f"hilltop_{name}")
    made, library = _loaded[name]
    for (kernel, args), entry in zip(entries, made.entries, strict=True):
        if guarded:
            kernel.guarded[args] = _overload(kernel, args, entry, library, made.steps)
        elif args not in kernel.overloads:
            kernel.add_overload(_overload(kernel, args, entry, library))


def _read(name: str) -> Made | None:
    content = cache.read(name)
    try:
        found = None if content is None else pickle.loads(content)
        return found if isinstance(found, Made) else None
    except Exception:  # whatever else is wrong with it: what cannot be read is made again
        return None


def _make(entries: Sequence[Entry], name: str, guarded: bool) -> Made:
    """Compile a unit."""
    counts = any(getattr(one, "allocates", False) for kernel, _ in entries for one in kernel.reached())
    codegen = CPUDispatcher.targetdescr.target_context.codegen()
    unit = _Unit(codegen, name)
    lowered = [kernel.lowered(args, counts, guarded) for kernel, args in entries]
    for one in lowered:
        # Without the interpreter's lock, so that the program hears signals while a bot thinks.
        one.target_context.create_cpython_wrapper(unit, one.fndesc, one.environment, one.call_helper, release_gil=True)
    module = unit._final_module
    _link(module, [*(one.library for one in lowered), rtsys.library])

    named = []
    for number, one in enumerate(lowered):
        names = [f"{name}_{number}", f"{name}_{number}_python"]
        for old, new in zip([one.fndesc.llvm_func_name, one.fndesc.llvm_cpython_wrapper_name], names, strict=True):
            module.get_function(old).name = new
        named.append((*names, one.fndesc.env_name, one.signature.return_type))
    public = {symbol for entry in named for symbol in entry[:2]}
    # What nobody outside calls may be changed, put into its callers or dropped at will.
    for function in module.functions:
        if not function.is_declaration and function.name not in public:
            function.linkage = "internal"
    steps = f"{name}_steps" if guarded else ""
    if guarded:
        left = module.get_global_variable(_STEPS)
        left.name, left.linkage = steps, "external"
    unit._optimize_final_module()
    module.verify()

    environments: dict[str, tuple[str, list[Any]]] = {}
    for variable in list(module.global_variables):
        if variable.name.startswith(_ENVIRONMENT):
            known = lookup_environment(variable.name)
            new = f"{name}_environment_{len(environments)}"
            environments[variable.name] = (new, list(known.consts) if known else [])
            variable.linkage = "external"
            variable.name = new
    return Made(
        code=codegen._tm.emit_object(module),
        entries=[(code, wrapper, environments[old][0], answer) for code, wrapper, old, answer in named],
        environments=list(environments.values()),
        steps=steps,
    )


def _load(made: Made, name: str) -> Any:
    """Machine code becomes part of this process."""
    _symbols()
    if b"NRT_incref" in made.code or b"NRT_decref" in made.code:  # which Numba compiles anew in each process
        rtsys.initialize(CPUDispatcher.targetdescr.target_context)
    library = JITCodeLibrary(CPUDispatcher.targetdescr.target_context.codegen(), name)
    library.enable_object_caching()
    library._set_compiled_object(made.code)
    library._finalize_final_module()
    return library


@functools.cache
def _symbols() -> None:
    """Tell the loader where Numba's runtime is, as Numba does when it first compiles."""
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _overload(
    kernel: Kernel, args: Arguments, entry: tuple[str, str, str, Any], library: Any, steps: str = ""
) -> Overload:
    code, wrapper, environment, answer = entry
    engine = library.codegen._engine
    constants = Environment(kernel.py_func.__globals__)
    constants.env_name = environment
    library.codegen.set_env(environment, constants)
    function = kernel.py_func
    called = _dynfunc.make_function(
        sys.modules.get(function.__module__, sys), function.__name__, function.__doc__ or "",
        engine.get_function_address(wrapper), constants, (library,),
    )  # fmt: skip
    counter = engine.get_global_value_address(steps) if steps else 0
    return Overload(signature(answer, *args), called, engine.get_function_address(code), steps=counter)


def place(error: BaseException, kernel: Any) -> tuple[str, int] | None:
    """File and line of what could not be compiled in ``kernel``: the innermost that Numba was at, if it says so."""
    missing = re.search(r"name '(\w+)' is not defined", str(error))
    for one in kernel.reached() if missing else ():  # Numba names the line of the call
        for step in dis.get_instructions(one.py_func) if isinstance(one, Kernel) else ():
            if step.argval == missing[1] and step.positions and step.positions.lineno:  # type: ignore[index]
                return one.py_func.__code__.co_filename, step.positions.lineno
    found = None
    seen: set[int] = set()
    at: Any = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        for frame, _ in traceback.walk_tb(at.__traceback__):
            for name in ("self", "inst", "loc"):
                part = frame.f_locals.get(name)
                part = part if isinstance(part, ir.Loc) else getattr(part, "loc", None)
                if isinstance(part, ir.Loc):
                    found = part.filename, part.line
        at = at.__cause__ or at.__context__
    return found


# ---------------------------------------------------------------- calls and memory by address


@intrinsic
def call_by_address(_context, _address, _seat, view, rules, moves, _count, params, luck):
    """``decide(view, rules, moves, count, params[seat], luck[seat])``, with the address of decide's code."""
    rows = params.copy(ndim=1), luck.copy(ndim=1)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        types_given = (*signature.args[2:6], *rows)
        given = list(values[2:6])
        for matrix_type, row_type, matrix in zip(signature.args[6:], rows, values[6:], strict=True):
            given.append(_row(context, builder, matrix_type, row_type, matrix, values[1]))
        return _called(context, builder, values[0], types_given, given)

    return types.int64(types.int64, types.int64, view, rules, moves, types.int64, params, luck), generate


def python_code(ask: Callable[[int, int, int, int, int, int], int], arguments: Arguments) -> Any:
    """Code of a bot that is written in Python: what :func:`call_by_address` takes the address of, for these types.

    ``ask`` gets the addresses of view, rules and moves, the number of moves, and the addresses of the rows of params
    and luck, and returns the choice. It must not raise. The code lives as long as what is returned; its ``address``
    is an int.
    """
    context = CPUDispatcher.targetdescr.target_context
    code = context.call_conv.get_function_type(types.int64, arguments)
    words = [ctypes.c_ssize_t] * len(code.args)
    assert all(ctypes.sizeof(word) == context.get_abi_sizeof(kind) for word, kind in zip(words, code.args, strict=True))
    # An array is passed as owner, parent, items, size of an item, data, shape, strides: one dimension each here.
    view, rules, moves = 2, 3, 4
    count = moves + _ARRAY_WORDS
    params = count + 1
    luck = params + _ARRAY_WORDS
    assert len(words) == luck + _ARRAY_WORDS
    answers: dict[int, Any] = {}

    def called(*given: int) -> int:
        choice = ask(given[view], given[rules], given[moves + _DATA], given[count], given[params + _DATA],
                     given[luck + _DATA])  # fmt: skip
        place = given[0]
        if place not in answers:
            answers[place] = ctypes.c_int64.from_address(place)
        answers[place].value = choice
        return 0  # no exception

    function = ctypes.CFUNCTYPE(ctypes.c_int32, *words)(called)
    function.address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[attr-defined]
    return function


_ARRAY_WORDS, _DATA = 7, 4


@intrinsic
def call_alone(_context, _address, view, rules, moves, _count, params, luck):
    """``decide(view, rules, moves, count, params, luck)``, with the address of decide's code."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _called(context, builder, values[0], signature.args[1:], values[1:])

    return types.int64(types.int64, view, rules, moves, types.int64, params, luck), generate


def _called(context: Any, builder: Any, address: Any, types_given: Any, given: Any) -> Any:
    """What the code at an address answers; ``FAULT - RAISED`` if it raises."""
    convention = context.call_conv
    code = convention.get_function_type(types.int64, types_given)
    function = builder.inttoptr(address, code.as_pointer())
    status, choice = convention.call_function(builder, function, types.int64, types_given, given)
    return builder.select(status.is_error, context.get_constant(types.int64, FAULT - RAISED), choice)


@intrinsic
def same_record(_context, one, other):
    """Do two records of the same type hold the same bytes?"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer, size = llvm_ir.IntType(8).as_pointer(), context.get_value_type(types.intp)
        kind = llvm_ir.FunctionType(llvm_ir.IntType(32), [pointer, pointer, size])
        compare = cgutils.get_or_insert_function(builder.module, kind, "memcmp")
        given = [builder.bitcast(value, pointer) for value in values]
        answer = builder.call(compare, [*given, size(signature.args[0].size)])
        return builder.icmp_signed("==", answer, answer.type(0))

    return types.boolean(one, other), generate


@intrinsic
def word_at(_context, address):
    """The int64 at an address."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.load(builder.inttoptr(values[0], llvm_ir.IntType(64).as_pointer()))

    return types.int64(types.int64), generate


@intrinsic
def put_word(_context, address, value):
    """Make the int64 at an address a value, which is returned."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        builder.store(
            values[1],
            builder.inttoptr(values[0], llvm_ir.IntType(64).as_pointer()),
        )
        return values[1]

    return types.int64(types.int64, types.int64), generate


def _row(context: Any, builder: Any, matrix_type: Any, row_type: Any, matrix: Any, number: Any) -> Any:
    """A row of a C-contiguous matrix, as an array that owns nothing (the matrix outlives the call)."""
    whole = context.make_array(matrix_type)(context, builder, matrix)
    row = context.make_array(row_type)(context, builder)
    _, width = cgutils.unpack_tuple(builder, whole.shape)
    context.populate_array(
        row,
        data=builder.gep(whole.data, [builder.mul(number, width)]),
        shape=cgutils.pack_array(builder, [width]),
        strides=cgutils.pack_array(builder, [whole.itemsize]),
        itemsize=whole.itemsize,
        meminfo=None,
        parent=None,
    )
    return row._getvalue()


@intrinsic
def arrays_by_address(_context, address, dtype):
    """The fields of the record of that type at an address, as arrays that own nothing."""
    record = dtype.dtype
    places = [record.fields[name] for name in record.fields]
    places.sort(key=lambda place: place.offset)
    arrays = [
        types.Array(place.type.dtype, place.type.ndim, "C")
        if isinstance(place.type, types.NestedArray)
        else types.Array(place.type, 1, "C")
        for place in places
    ]
    made = types.Tuple(arrays)

    def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        found = []
        for array, place in zip(arrays, places, strict=True):
            shape = place.type.shape if isinstance(place.type, types.NestedArray) else (1,)
            item = context.get_data_type(array.dtype)
            size = context.get_abi_sizeof(item)
            strides = [size * int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
            start = builder.add(values[0], context.get_constant(types.int64, place.offset))
            one = context.make_array(array)(context, builder)
            context.populate_array(
                one,
                data=builder.inttoptr(start, item.as_pointer()),
                shape=[context.get_constant(types.intp, extent) for extent in shape],
                strides=[context.get_constant(types.intp, stride) for stride in strides],
                itemsize=context.get_constant(types.intp, size),
                meminfo=None,
                parent=None,
            )
            found.append(one._getvalue())
        return context.make_tuple(builder, made, found)

    return made(types.int64, dtype), generate
