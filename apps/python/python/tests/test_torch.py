"""Launchers that use torch. torch is large, so these run only where it is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

import kernels_of_triton as kernels  # noqa: E402
import nccl_ts  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed._symmetric_memory as symm_mem  # noqa: E402
from torch.cuda import current_stream  # noqa: E402
from torch.distributed._symmetric_memory import rendezvous  # noqa: E402


def shared(rank):
    """Symmetric memory of four numbers, and the peer's copy of it."""
    data = symm_mem.empty(4, dtype=torch.float32, device="cuda").fill_(rank)
    handle = symm_mem.rendezvous(data, dist.group.WORLD)
    return data, handle, handle.get_buffer((rank + 1) % handle.world_size, (4,), torch.float32)


def add(data, out=None):
    out = torch.empty(4, device="cuda") if out is None else out
    kernels.add[(1,)](data, out, 4, 4, num_warps=1)
    return out


def verdict(launcher, **given):
    return nccl_ts.record(launcher, ranks=2, **given).verdict


def test_peers_read_what_the_host_wrote_before():
    def launcher(rank):
        _, _, peer = shared(rank)
        return add(peer), torch.full((4,), 2.0 - rank)

    assert verdict(launcher) == "clean"


def test_a_barrier_of_the_handle_orders_kernels_of_the_ranks():
    def launcher(rank, meets=True):
        data, handle, peer = shared(rank)
        add(torch.zeros(4, device="cuda"), data)
        if meets:
            handle.barrier()
        return add(peer), torch.full((4,), 2.0)

    assert verdict(launcher) == "clean"
    assert verdict(lambda rank: launcher(rank, meets=False)) == "race"


def test_copies_and_zeros_are_steps_on_their_stream():
    def launcher(rank, waits=True):
        data, handle, peer = shared(rank)
        handle.barrier()
        copied = torch.empty(4, device="cuda")
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        add(copied.zero_(), torch.empty(4, device="cuda"))
        with torch.cuda.stream(stream):
            copied.copy_(peer)
        if waits:
            torch.cuda.current_stream().wait_stream(stream)
        return add(copied), torch.full((4,), 2.0 - rank)

    # The barrier of the handle comes before the peer's buffer is read; nothing comes after the copy.
    report = nccl_ts.record(lambda rank: launcher(rank, waits=False), ranks=2)
    assert report.verdict == "race"
    assert any("test_torch.py" in place for finding in report.findings for place, _ in finding.places)


def test_events_order_streams():
    def launcher(rank):
        data, _, peer = shared(rank)
        done, stream = torch.cuda.Event(), torch.cuda.Stream()
        out = add(peer)
        done.record()
        with torch.cuda.stream(stream):
            done.wait(stream)
            return add(out), torch.full((4,), 3.0 - rank)

    assert verdict(launcher) == "clean"


def test_words_on_streams_order_ranks():
    def launcher(rank):
        data, handle, peer = shared(rank)
        flag = symm_mem.empty(1, dtype=torch.uint32, device="cuda").fill_(0)
        flags = symm_mem.rendezvous(flag, dist.group.WORLD)
        add(torch.zeros(4, device="cuda"), data)
        handle.stream_write_value32(flags.get_buffer(1 - rank, (1,), torch.uint32), 0, 1)
        kernels.await_flag[(1,)](flag, 1, num_warps=1)
        return add(peer), torch.full((4,), 2.0)

    assert verdict(launcher) == "clean"


def test_words_on_streams_are_steps_in_their_order():
    def launcher(rank):
        data, handle, peer = shared(rank)
        flag = symm_mem.empty(2, dtype=torch.uint32, device="cuda").fill_(0)
        flags = symm_mem.rendezvous(flag, dist.group.WORLD)
        add(torch.zeros(4, device="cuda"), data)
        handle.stream_write_value32(flags.get_buffer(1 - rank, (2,), torch.uint32), 1, 3)
        torch.cuda.current_stream().synchronize()
        return None

    report = nccl_ts.record(launcher, ranks=2)
    steps = report.program["worlds"][0]["programs"][0]["steps"]
    kinds = [step["kind"] for step in steps]
    assert kinds[-3:] == ["launch", "writeWord", "synchronize"]
    written = steps[-2]
    assert (written["to"]["rank"], written["to"]["offset"], written["value"], written["stream"]) == (1, 4, 3, 0)
    assert written["location"].startswith(__file__)


def test_the_class_of_c_plus_plus_is_replaced_too():
    from torch._C._distributed_c10d import _SymmetricMemory

    real = _SymmetricMemory.rendezvous, symm_mem.set_signal_pad_size

    def launcher(rank):
        given = dict(size=(2, 2), stride=(2, 1), dtype=torch.float32, device="cuda", group_name="0")
        data = _SymmetricMemory.empty_strided_p2p(**given).fill_(rank)
        symm_mem.set_signal_pad_size(64)
        handle = _SymmetricMemory.rendezvous(data)
        assert (handle.signal_pad_size, symm_mem.get_signal_pad_size()) == (64, 64)
        flag = symm_mem.empty(1, dtype=torch.uint32, device="cuda").fill_(0)
        symm_mem.rendezvous(flag)
        handle.stream_write_value32(flag.data_ptr(), 5)
        return add(handle.get_buffer((rank + 1) % 2, (4,), torch.float32)), torch.full((4,), 2.0 - rank)

    report = nccl_ts.record(launcher, ranks=2)
    assert report.verdict == "clean"
    [word] = [step for step in report.program["worlds"][0]["programs"][1]["steps"] if step["kind"] == "writeWord"]
    assert (word["to"]["memory"], word["to"]["rank"], word["value"]) == ("symmetric memory 2", 1, 5)
    assert real == (_SymmetricMemory.rendezvous, symm_mem.set_signal_pad_size)


def test_a_word_may_be_in_memory_that_only_its_address_names():
    def launcher(rank):
        handle = symm_mem.rendezvous(symm_mem.empty(4, device="cuda"), dist.group.WORLD)
        flags = torch.zeros(4, dtype=torch.uint32, device="cuda")
        handle.stream_write_value32(flags.data_ptr() + 8, 7)
        kernels.await_flag[(1,)](flags[2:], 7, num_warps=1)
        return flags, torch.tensor([0, 0, 7, 0], dtype=torch.uint32)

    assert verdict(launcher, local=True) == "clean"


def test_an_address_of_no_tensor_is_refused():
    def launcher(rank):
        handle = symm_mem.rendezvous(symm_mem.empty(4, device="cuda"), dist.group.WORLD)
        handle.stream_write_value32(4096, 7)

    with pytest.raises(nccl_ts.NcclTsError, match="the address 0x1000, which is in no tensor that the launcher made"):
        verdict(launcher)


def test_the_operator_that_writes_a_word_is_a_step():
    def launcher(rank):
        data, handle, peer = shared(rank)
        pad = handle.get_signal_pad(1 - rank, (2, 3), torch.uint32)
        assert (pad.shape, pad.is_cuda) == ((2, 3), True)
        torch.ops.symm_mem.stream_write_value32_(pad[1], 2, 9)
        add(peer)

    report = nccl_ts.record(launcher, ranks=2)
    [word] = [step for step in report.program["worlds"][0]["programs"][0]["steps"] if step["kind"] == "writeWord"]
    assert (word["to"]["memory"], word["to"]["rank"], word["to"]["offset"], word["value"]) == (
        "signal pad of symmetric memory", 1, 20, 9,
    )


def test_the_backend_is_the_one_that_the_launcher_sets():
    def launcher(rank):
        found.append(symm_mem.get_backend("cuda"))
        symm_mem.set_backend("NVSHMEM")
        found.append(symm_mem.get_backend("cuda"))
        add(shared(rank)[2])

    found = []
    verdict(launcher)
    assert found == ["CUDA", "NVSHMEM"] * 2


def test_names_that_were_imported_before_are_replaced_too(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text("from torch.cuda import current_stream\n")
    monkeypatch.syspath_prepend(tmp_path)

    def launcher(rank):
        import imported_late

        data = symm_mem.empty(4, dtype=torch.float32, device="cuda").fill_(rank)
        peer = rendezvous(data, dist.group.WORLD).get_buffer(1 - rank, (4,), torch.float32)
        current_stream().synchronize()
        imported_late.current_stream().synchronize()
        return add(peer), torch.full((4,), 2.0 - rank)

    report = nccl_ts.record(launcher, ranks=2)
    assert report.verdict == "clean"
    programs = report.program["worlds"][0]["programs"]
    assert [[step["kind"] for step in program["steps"]].count("synchronize") for program in programs] == [2, 2]
    assert sys.modules["imported_late"].current_stream is current_stream is torch.cuda.current_stream
    assert current_stream.__module__ == "torch.cuda"
    assert rendezvous is symm_mem.rendezvous


def test_code_without_a_file_has_no_lines():
    script = """
import test_torch as tests

def launcher(rank):
    data, handle, peer = tests.shared(rank)
    data.fill_(3)
    handle.barrier()
    return tests.add(peer), tests.torch.full((4,), 4.0)

print(tests.verdict(launcher))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert done.stdout.strip() == "clean", done.stderr


def test_a_wait_for_a_word_comes_after_what_is_before_it_on_its_stream():
    driver = pytest.importorskip("cuda.bindings.driver")

    def launcher(rank, waits_first):
        data, handle, peer = shared(rank)
        flag = symm_mem.empty(1, dtype=torch.uint32, device="cuda").fill_(0)
        far = symm_mem.rendezvous(flag, dist.group.WORLD).get_buffer(1 - rank, (1,), torch.uint32)
        add(torch.zeros(4, device="cuda"), data)

        def wait():
            stream = torch.cuda.current_stream().cuda_stream
            driver.cuStreamWaitValue32(stream, flag.data_ptr(), 1, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ)

        if waits_first:
            wait()
        handle.stream_write_value32(far, 0, 1)
        if not waits_first:
            wait()
        return add(peer), torch.full((4,), 2.0)

    assert verdict(lambda rank: launcher(rank, waits_first=False)) == "clean"
    # Each rank waits before it writes what the other one waits for.
    assert verdict(lambda rank: launcher(rank, waits_first=True)) == "deadlock"


def test_a_barrier_of_the_hosts_orders_kernels():
    def launcher(rank):
        data, _, peer = shared(rank)
        add(torch.zeros(4, device="cuda"), data)
        dist.barrier()
        return add(peer), torch.full((4,), 2.0)

    assert verdict(launcher) == "clean"


def test_wrong_results_and_memory_that_nothing_wrote_are_found():
    def launcher(rank):
        _, _, peer = shared(rank)
        return add(peer), torch.zeros(4)

    assert verdict(launcher) == "fault"
    report = nccl_ts.record(lambda rank: [add(torch.empty(4, device="cuda"))][:0], ranks=1, local=True)
    assert [one.kind for one in report.findings] == ["uninitialised"]
    assert "'data'" in report.text


@pytest.mark.parametrize(
    "read",
    [
        lambda out: out.sum().item(),
        lambda out: out.tolist(),
        lambda out: out.cpu().numpy(),
        lambda out: torch.allclose(out, torch.ones(4)),
        lambda out: print(out),
        lambda out: bool(out[0] > 1),
    ],
)
def test_results_cannot_be_read(read):
    def launcher(rank):
        read(add(shared(rank)[2]))

    with pytest.raises(nccl_ts.NcclTsError, match="return .tensor, expected. from the launcher"):
        verdict(launcher)
    assert not dist.is_initialized()
    assert torch.tensor([1.0]).item() == 1.0


def test_torchs_compiler_is_not_loaded():
    script = "import sys; import test_torch as tests; tests.verdict(lambda rank: tests.add(tests.shared(rank)[2]).numel() and None)"
    text = f"{script}; print('torch._dynamo' in sys.modules)"
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_collectives_of_the_host_are_refused():
    with pytest.raises(nccl_ts.NcclTsError, match="dist.all_reduce cannot be recorded"):
        verdict(lambda rank: dist.all_reduce(torch.zeros(1)))


def test_a_launcher_that_raises_leaves_nothing_replaced():
    def launcher(rank):
        shared(rank)
        raise KeyError("mine")

    hook = sys.excepthook
    real = torch.cuda.current_stream, symm_mem.empty, dist.all_reduce, torch.Tensor.item
    with pytest.raises(KeyError, match="mine"):
        verdict(launcher)
    assert real == (torch.cuda.current_stream, symm_mem.empty, dist.all_reduce, torch.Tensor.item)
    assert sys.excepthook is hook
    assert torch.full((2,), 3.0).sum().item() == 6.0
