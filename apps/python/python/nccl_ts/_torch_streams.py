"""Stand-ins for torch's streams and events, whose calls become steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ._torch import TorchValues


class Stream:
    """Stands in for ``torch.cuda.Stream``."""

    def __init__(self, values: TorchValues, number: int) -> None:
        self._values = values
        self.cuda_stream = number
        self.stream_id = number
        self.priority = 0
        self.device = torch.device("cpu")

    def wait_stream(self, other: Stream) -> None:
        self._values.order(other.cuda_stream, self.cuda_stream)

    def record_event(self, event: Any = None) -> Any:
        event = event or Event(self._values)
        event.record(self)
        return event

    def wait_event(self, event: Any) -> None:
        event.wait(self)

    def synchronize(self) -> None:
        self._values.made.step("synchronize", stream=self.cuda_stream)

    def query(self) -> bool:
        raise self._values.read("whether a stream has ended")

    def __enter__(self) -> Stream:
        self._values.entered.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        self._values.entered.pop()


class Event:
    """Stands in for ``torch.cuda.Event``."""

    def __init__(self, values: TorchValues) -> None:
        self._values = values
        self._number = values.made.events
        values.made.events += 1

    def record(self, stream: Stream | None = None) -> None:
        self._values.made.step("record", event=self._number, stream=(stream or self._values.current()).cuda_stream)

    def wait(self, stream: Stream | None = None) -> None:
        self._values.made.step("waitEvent", event=self._number, stream=(stream or self._values.current()).cuda_stream)

    def synchronize(self) -> None:
        # The host waits for more than the event, which can only hide mistakes of the host.
        self._values.made.step("synchronize")

    def query(self) -> bool:
        raise self._values.read("whether an event has happened")

    def elapsed_time(self, other: Event) -> float:
        return 0.0
