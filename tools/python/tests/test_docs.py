"""Every public thing is documented, and all examples are true."""

import doctest
import enum
import importlib.metadata
import inspect
import pathlib
import re

import numpy as np
import pytest

import tbindex

HERE = pathlib.Path(__file__).parent.parent
PARSER = doctest.DocTestParser()
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented():
    """Everything public with its full name."""
    modules = {"tbindex": tbindex}
    modules |= {
        f"tbindex.{name}": module
        for name, module in vars(tbindex).items()
        if inspect.ismodule(module) and not name.startswith("_")
    }
    for module_name, module in modules.items():
        yield module_name, module
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            yield f"{module_name}.{name}", value
            if inspect.isclass(value):
                for member, what in vars(value).items():
                    inherited = isinstance(value, enum.EnumMeta) and member in value.__members__
                    if not member.startswith("_") and not inherited:
                        yield f"{module_name}.{name}.{member}", what


THINGS = dict(documented())


def globals_of_examples():
    examples = {"tbindex": tbindex, "np": np}
    for module in (tbindex, *(m for m in vars(tbindex).values() if inspect.ismodule(m))):
        examples |= {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return examples


def run(text, name, path=None, names=None):
    """Runs the examples in a text; how many there are."""
    test = PARSER.get_doctest(text, {}, name, path, 0)
    test.globs = globals_of_examples() if names is None else names
    failures = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)
    return len(test.examples)


@pytest.mark.parametrize("name", THINGS)
def test_docstring_is_there_and_its_examples_are_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(THINGS[name])
    assert text, f"{name} has no documentation"
    run(text, name)


def test_version_is_that_of_the_package():
    assert tbindex.__version__ == importlib.metadata.version("tbindex")


def test_most_things_have_an_example():
    with_example = [name for name, what in THINGS.items() if ">>> " in (inspect.getdoc(what) or "")]
    callables = [name for name, what in THINGS.items() if callable(what)]
    assert len(with_example) >= 0.6 * len(callables)


@pytest.mark.parametrize("page", ["README.md", "GUIDE.md"])
def test_examples_of_pages_are_true(page, tmp_path, monkeypatch):
    path = HERE / page
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```pycon\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 5
    # One goes on where the other ended, and everything they use they import.
    names = {"__name__": page}
    for number, block in enumerate(blocks):
        assert run(block, f"example {number}", str(path), names) > 0
