"""The notebooks: what they store is clean, and they run from their first cell to the last."""

from __future__ import annotations

import pathlib
import re
import sys

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((pathlib.Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
OF_A_MACHINE = re.compile(r"/(tmp|home|root|Users|work|var|opt|usr)/|site-packages")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


class ThisInterpreter(AsyncKernelManager):
    """Starts the Python that runs the tests, whatever kernels are installed."""

    @property
    def kernel_spec(self):
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="tests", language="python")


@each_notebook
def test_stored_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any(output.get("name") == "stdout" for output in outputs)
    for output in outputs:
        data = {**output.get("data", {}), "text": output.get("text", "")}
        data.pop("image/png", None)
        assert not OF_A_MACHINE.search(str(data))
    assert not any(cell.metadata for cell in notebook.cells)


@each_notebook
def test_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_manager_class=ThisInterpreter,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()  # Raises with the traceback of a cell that fails.


@each_notebook
def test_links_lead_somewhere(path):
    notebook = nbformat.read(path, as_version=4)
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for target in re.findall(r"\]\(([^)#:]+)\)", "\n".join(prose)):
        assert (path.parent / target).exists(), target
