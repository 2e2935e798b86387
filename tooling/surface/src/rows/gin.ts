import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

/** Puts, gets and signals through the network. */
export const gin: readonly Row[] = [
  row('ncclGin ncclGin_BackendMask::ncclGin_BackendMask', 'gin/contexts/separate gin/contexts/sharing', {
    traps: {
      'calls that break the declared sharing': 'gin/traps/shared-by-ctas gin/traps/shared-by-threads',
      'an index that is not below ginContextCount': 'gin/traps/context-past-count',
    },
  }),
  row(
    'ncclGin_BackendMask::put',
    'gin/put/windows gin/put/groups gin/put/releases gin/connections gin/flush/queue-depth',
    {
      form: 'with windows',
      traps: {
        'with a rail connection, a peer outside of the rail': 'gin/traps/peer-off-rail',
        'a peer that the team does not have': 'gin/traps/peer-outside-team',
        'bytes past the end of a window': 'gin/traps/outside-window',
      },
    },
  ),
  row('ncclGin_BackendMask::put', 'gin/put/elements', { form: 'with ncclSymPtr' }),
  row('ncclGin_BackendMask::putValue', 'gin/put-value/every-size'),
  row('ncclGin_BackendMask::get', 'gin/get/from-every-rank gin/get/chain gin/connections', {
    traps: { 'bytes past the end of a window': 'gin/traps/outside-window' },
  }),
  row(
    'ncclGin_BackendMask::signal',
    'gin/actions/strong-signal-inc gin/actions/weak-signal-inc gin/signals/strong-covers',
    { traps: { 'an index that is not below ginSignalCount': 'gin/traps/signal-past-count' } },
  ),
  row('ncclGin_None', 'gin/put/without-action gin/flush/queue-depth'),
  row(
    'ncclGin_StrongSignalInc ncclGin_StrongSignalAdd',
    'gin/actions/strong-signal-* gin/put/without-action gin/signals/strong-covers',
    {
      traps: {
        'Inc and Add on one signal without a reset in between': 'gin/traps/inc-and-add',
        'without ginStrongSignalsRequired': 'gin/traps/not-asked-for',
      },
    },
  ),
  row('ncclGin_WeakSignalInc ncclGin_WeakSignalAdd', 'gin/actions/weak-signal-* gin/put/windows', {
    silent: {
      "a read of an earlier put's data after a weak signal":
        'a backend may bring it; the tests of the simulator show that it need not',
    },
  }),
  row(
    'ncclGin_StrongVASignalInc ncclGin_StrongVASignalAdd ncclGin_WeakVASignalInc ncclGin_WeakVASignalAdd',
    'gin/actions/strong-va-signal-* gin/actions/weak-va-signal-*',
    {
      traps: {
        'in a window without strict ordering': 'gin/traps/va-without-ordering',
        'loading or storing at the address': 'gin/traps/va-touched',
        'at an offset that is not a multiple of 8 bytes': 'gin/traps/misaligned-signal',
        'without ginVaSignalsRequired': 'gin/traps/not-asked-for',
      },
    },
  ),
  row(
    'ncclGin_SignalInc ncclGin_SignalAdd ncclGin_VASignalInc ncclGin_VASignalAdd',
    'gin/actions/signal-* gin/actions/va-signal-*',
  ),
  row('ncclGin_WeakCounterInc ncclGin_CounterInc', 'gin/counters/source-reuse gin/contexts/separate', {
    traps: { 'an index that is not below ginCounterCount': 'gin/traps/counter-past-count' },
  }),
  row(
    of('ncclGin_BackendMask', 'readSignal waitSignal resetSignal'),
    'gin/signals/wrap-around gin/signals/reset gin/signals/relaxed gin/signals/wait-by-reading',
    { traps: { 'a reset that races with an operation on the signal or counter': 'gin/traps/reset-race' } },
  ),
  row(of('ncclGin_BackendMask', 'readSignal waitSignal resetSignal'), 'gin/signals/wrap-around gin/signals/reset', {
    form: 'of a window and an offset',
  }),
  row(of('ncclGin_BackendMask', 'readCounter waitCounter resetCounter'), 'gin/counters/source-reuse'),
  row('ncclGin_BackendMask::flush', 'gin/flush/source-reuse gin/get/from-every-rank', {
    silent: {
      'a counter that is mistaken for completion at the peer':
        'a backend may have completed it; the tests of the simulator show that it need not',
    },
  }),
  row(of('ncclGin_BackendMask', 'flushAsync wait'), 'gin/flush/async'),
  row(of('ncclGin_BackendMask', 'waitSignal waitCounter flush wait'), 'gin/time-limits/*', {
    form: 'with timeoutCycles',
    programs: 'signal va-signal counter flush request',
    silent: {
      'a kernel that continues after a time-out as if the condition held':
        'a backend may have met it by then; the checker shows it (bug class G22)',
    },
  }),
  row(
    of('ncclGin_BackendMask', 'getSignalShadowPtr increaseSignalShadow waitSignalMeetShadow waitSignalFollowShadow'),
    'gin/shadows/meet gin/shadows/follow gin/signals/reset',
    { traps: { 'an index that is not below ginSignalCount': 'gin/traps/signal-past-count' } },
  ),
  row('ncclGinOptFlags', 'gin/put/groups gin/signals/strong-covers gin/flush/async gin/flush/queue-depth', {
    silent: {
      'deferred requests that are never flushed':
        'nothing reports it: the waits for them become a deadlock that names the signal',
    },
  }),
  row('ncclGin_SegmentDevice ncclGin_SegmentHostNuma ncclGin_SegmentMixed', 'gin/put/groups', {
    silent: { 'the wrong tag': 'all memory here is of one kind, so no tag is wrong' },
  }),
  row('ncclGin_DescriptorSmem', 'gin/put/groups'),
  row('NCCL_GIN_CONNECTION_NONE NCCL_GIN_CONNECTION_FULL NCCL_GIN_CONNECTION_RAIL', 'gin/connections', {
    traps: { 'with a rail connection, a peer outside of the rail': 'gin/traps/peer-off-rail' },
  }),
  row(
    `NCCL_GIN_CONNECTION_CUSTOM_STRIDE ncclDevCommRequirements::ginCustomStride ncclDevComm::ginContextStride`,
    'gin/connections/custom-stride',
    {
      programs: 'G15/off-the-stride G15/on-the-stride',
      traps: { 'a peer at a distance that is not a multiple of the stride': 'gin/traps/peer-off-stride' },
    },
  ),
  row('NCCL_GIN_CONNECTION_CUSTOM_ARRAY', 'gin/connections/custom-array', {
    programs: 'G15/not-listed G15/listed',
    traps: {
      'a peer that does not list the calling rank, or that it does not list':
        'gin/traps/peer-not-listed gin/traps/flush-not-listed',
    },
  }),
  row('NCCL_WIN_GIN_ONLY', 'gin/windows/gin-only', {
    traps: { 'a pointer through such a window': 'gin/traps/gin-only-pointer' },
  }),
  row('NCCL_GIN_TYPE_PROXY NCCL_GIN_TYPE_GDAKI NCCL_GIN_TYPE_GPI', '', {
    none: "NCCL's own; which one there is does not show in kernels",
  }),
];
