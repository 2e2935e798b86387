"""``python -m nccl_ts`` and ``nccl-ts``: the command."""

from __future__ import annotations

import sys

from ._errors import NcclTsError


def main() -> int:
    from ._node import replace_process

    try:
        return replace_process(sys.argv[1:])
    except NcclTsError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
