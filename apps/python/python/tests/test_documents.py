"""The code of the documents runs, as it stands there."""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "apps" / "examples"


def blocks(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text("utf8"), re.MULTILINE | re.DOTALL)


def outcome(pytester, text):
    pytester.makepyfile(test_document=text)
    shutil.copy(EXAMPLES / "triton" / "all_reduce.py", pytester.path)
    return pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")


# Importing it here would load it twice, since pytester forgets what its tests import.
@pytest.mark.skipif(find_spec("triton") is None, reason="there is no Triton")
@pytest.mark.parametrize("document", ["docs/how-to/check-from-python.md", "README.md", "apps/python/python/README.md"])
def test_the_example_of_triton_is_clean(pytester, document):
    text = next(one for one in blocks(document) if "from all_reduce import all_reduce" in one)
    outcome(pytester, text).assert_outcomes(passed=1)


def test_the_example_of_triton_has_at_most_twelve_lines():
    text = next(one for one in blocks("docs/how-to/check-from-python.md") if "from all_reduce" in one)
    assert len([line for line in text.split("\n") if line.strip()]) <= 12


def test_the_example_of_cuda_is_clean(pytester):
    text = next(one for one in blocks("docs/how-to/check-from-python.md") if "all-reduce.cu" in one)
    # nvcc is not everywhere; this is the PTX of such a kernel.
    kernel = EXAMPLES / "museum" / "no-end-barrier" / "mended.ptx"
    outcome(pytester, text.replace("all-reduce.cu", str(kernel))).assert_outcomes(passed=1)


def test_all_code_can_be_read():
    for document in ("docs/how-to/check-from-python.md", "apps/python/python/README.md"):
        for text in blocks(document):
            compile(text, document, "exec")
