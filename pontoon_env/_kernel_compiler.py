"""How numba compiles kernels that only other kernels call: without machine code of their own.

Numba makes machine code of every function, with all that it calls in it, so that of a kernel ten
calls deep is made ten times, though only that of the entry points is ever run. Here a kernel stays
intermediate code, which entry points link in. The classes that are taken apart are numba's own:
this module fits its version 0.68.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _IntermediateCode(JITCodeLibrary):
    """A kernel's code and that of all it calls, for callers to link in."""

    def _optimize_final_module(self) -> None:
        """Optimise it once, not twice as numba does: entry points do so again.

        Without that they would take a third less time to compile, and run at half the speed.
        """
        passes, builder = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _KernelLowering(NativeLowering):
    """Translate a kernel into intermediate code."""

    _name = "pontoon_env_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Do what numba does, but for the machine code."""
        library: Any = _IntermediateCode
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        lowered = state["cr"]
        key: Any = [].append  # numba knows a function by a built-in one, which nobody calls here
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=key)
        return True


class KernelCompiler(CompilerBase):
    """Numba's compiler with that translation in it, as ``pipeline_class`` of ``numba.njit``."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.passes = [
            (_KernelLowering if each is NativeLowering else each, text)
            for each, text in passes.passes
        ]
        passes.finalize()
        return [passes]
