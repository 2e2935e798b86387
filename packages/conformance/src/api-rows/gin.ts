import type { ApiRow } from './api-row.ts';

/** Puts, gets and signals through the network. */
export const gin: readonly ApiRow[] = [
  {
    id: '1.6/gin',
    nccl: 'ncclGin(devComm, contextIndex, sharing)',
    here: 'gin.context(comm, index, sharing)',
    cases: ['gin/contexts/separate', 'gin/contexts/sharing'],
    traps: [
      {
        trap: 'calls that break the declared sharing',
        cases: ['gin/traps/shared-by-ctas', 'gin/traps/shared-by-threads'],
      },
      { trap: 'an index that is not below ginContextCount', cases: ['gin/traps/context-past-count'] },
    ],
  },
  {
    id: '1.6/put',
    nccl: 'ncclGin::put with windows',
    here: 'net.put(team, peer, dst, dstOffset, src, srcOffset, bytes, remote, options)',
    cases: ['gin/put/windows', 'gin/put/groups', 'gin/put/releases', 'gin/connections', 'gin/flush/queue-depth'],
    traps: [
      { trap: 'with a rail connection, a peer outside of the rail', cases: ['gin/traps/peer-off-rail'] },
      { trap: 'a peer that the team does not have', cases: ['gin/traps/peer-outside-team'] },
      { trap: 'bytes past the end of a window', cases: ['gin/traps/outside-window'] },
    ],
  },
  {
    id: '1.6/putSymPtr',
    nccl: 'ncclGin::put with ncclSymPtr',
    here: 'net.putElements(team, peer, dst, src, count, remote, options)',
    cases: ['gin/put/elements'],
  },
  {
    id: '1.6/putValue',
    nccl: 'ncclGin::putValue',
    here: 'net.putValue(team, peer, dst, dstOffset, value, remote, options)',
    cases: ['gin/put-value/every-size'],
  },
  {
    id: '1.6/get',
    nccl: 'ncclGin::get',
    here: 'net.get(team, peer, remote, remoteOffset, local, localOffset, bytes, options)',
    cases: ['gin/get/from-every-rank', 'gin/get/chain', 'gin/connections'],
    traps: [{ trap: 'bytes past the end of a window', cases: ['gin/traps/outside-window'] }],
  },
  {
    id: '1.6/signal',
    nccl: 'ncclGin::signal',
    here: 'net.signal(team, peer, remote, options)',
    cases: ['gin/actions/strong-signal-inc', 'gin/actions/weak-signal-inc', 'gin/signals/strong-covers'],
    traps: [{ trap: 'an index that is not below ginSignalCount', cases: ['gin/traps/signal-past-count'] }],
  },
  {
    id: '1.6/none',
    nccl: 'ncclGin_None',
    here: 'an argument that is omitted or undefined',
    cases: ['gin/put/without-action', 'gin/flush/queue-depth'],
  },
  {
    id: '1.6/strongSignals',
    nccl: 'ncclGin_StrongSignalInc, ncclGin_StrongSignalAdd',
    here: 'gin.strongSignalInc(signal), gin.strongSignalAdd(signal, value)',
    cases: [
      'gin/actions/strong-signal-inc',
      'gin/actions/strong-signal-add',
      'gin/put/without-action',
      'gin/signals/strong-covers',
    ],
    traps: [
      { trap: 'Inc and Add on one signal without a reset in between', cases: ['gin/traps/inc-and-add'] },
      { trap: 'without ginStrongSignalsRequired', cases: ['gin/traps/not-asked-for'] },
    ],
  },
  {
    id: '1.6/weakSignals',
    nccl: 'ncclGin_WeakSignalInc, ncclGin_WeakSignalAdd',
    here: 'gin.weakSignalInc(signal), gin.weakSignalAdd(signal, value)',
    cases: ['gin/actions/weak-signal-inc', 'gin/actions/weak-signal-add', 'gin/put/windows'],
    traps: [
      {
        trap: "a read of an earlier put's data after a weak signal",
        cases: [],
        open: { because: 'a backend may bring it; the tests of the simulator show that it need not' },
      },
    ],
  },
  {
    id: '1.6/vaSignals',
    nccl: 'ncclGin_StrongVASignal…, ncclGin_WeakVASignal…',
    here: 'gin.strongVASignalInc(win, offset), …Add(win, offset, value), gin.weakVASignal…',
    cases: [
      'gin/actions/strong-va-signal-inc',
      'gin/actions/strong-va-signal-add',
      'gin/actions/weak-va-signal-inc',
      'gin/actions/weak-va-signal-add',
    ],
    traps: [
      { trap: 'in a window without strict ordering', cases: ['gin/traps/va-without-ordering'] },
      { trap: 'loading or storing at the address', cases: ['gin/traps/va-touched'] },
      { trap: 'at an offset that is not a multiple of 8 bytes', cases: ['gin/traps/misaligned-signal'] },
      { trap: 'without ginVaSignalsRequired', cases: ['gin/traps/not-asked-for'] },
    ],
  },
  {
    id: '1.6/legacySignals',
    nccl: 'ncclGin_SignalInc, ncclGin_SignalAdd, ncclGin_VASignalInc, ncclGin_VASignalAdd',
    here: 'gin.signalInc, gin.signalAdd, gin.vaSignalInc, gin.vaSignalAdd',
    cases: [
      'gin/actions/signal-inc',
      'gin/actions/signal-add',
      'gin/actions/va-signal-inc',
      'gin/actions/va-signal-add',
    ],
  },
  {
    id: '1.6/counters',
    nccl: 'ncclGin_WeakCounterInc, ncclGin_CounterInc',
    here: '{ localAction: gin.weakCounterInc(counter) }, gin.counterInc',
    cases: ['gin/counters/source-reuse', 'gin/contexts/separate'],
    traps: [{ trap: 'an index that is not below ginCounterCount', cases: ['gin/traps/counter-past-count'] }],
  },
  {
    id: '1.6/readWaitResetSignal',
    nccl: 'ncclGin::readSignal, ::waitSignal, ::resetSignal',
    here: 'net.readSignal, net.waitSignal, net.resetSignal',
    cases: ['gin/signals/wrap-around', 'gin/signals/reset', 'gin/signals/relaxed', 'gin/signals/wait-by-reading'],
    traps: [{ trap: 'a reset that races with an operation on the signal or counter', cases: ['gin/traps/reset-race'] }],
  },
  {
    id: '1.6/readWaitResetVaSignal',
    nccl: 'ncclGin::readSignal, ::waitSignal, ::resetSignal (window, offset)',
    here: 'net.readVASignal, net.waitVASignal, net.resetVASignal',
    cases: ['gin/signals/wrap-around', 'gin/signals/reset'],
  },
  {
    id: '1.6/readWaitResetCounter',
    nccl: 'ncclGin::readCounter, ::waitCounter, ::resetCounter',
    here: 'net.readCounter, net.waitCounter, net.resetCounter',
    cases: ['gin/counters/source-reuse'],
  },
  {
    id: '1.6/flush',
    nccl: 'ncclGin::flush',
    here: 'net.flush(coop, order)',
    cases: ['gin/flush/source-reuse', 'gin/get/from-every-rank'],
    traps: [
      {
        trap: 'a counter that is mistaken for completion at the peer',
        cases: [],
        open: { because: 'a backend may have completed it; the tests of the simulator show that it need not' },
      },
    ],
  },
  {
    id: '1.6/flushAsync',
    nccl: 'ncclGin::flushAsync, ::wait',
    here: 'net.flushAsync(team, peer), net.wait(request, order)',
    cases: ['gin/flush/async'],
  },
  {
    id: '1.6/timeLimits',
    nccl: 'waitSignal, waitCounter, flush and wait with timeoutCycles (2.31)',
    here: '{ timeoutCycles } of net.waitSignal, net.waitVASignal, net.waitCounter; net.flush(coop, order, timeoutCycles), net.wait(request, order, timeoutCycles)',
    cases: ['gin/time-limits/in-time', 'gin/time-limits/too-late'],
    traps: [
      {
        trap: 'a kernel that continues after a time-out as if the condition held',
        cases: [],
        open: { because: 'a backend may have met it by then; the checker shows it (bug class G22)' },
      },
    ],
  },
  {
    id: '1.6/signalShadow',
    nccl: 'getSignalShadowPtr, increaseSignalShadow, waitSignalMeetShadow, waitSignalFollowShadow',
    here: 'net.signalShadowPtr, net.increaseSignalShadow, net.waitSignalMeetShadow, net.waitSignalFollowShadow',
    cases: ['gin/shadows/meet', 'gin/shadows/follow', 'gin/signals/reset'],
    traps: [{ trap: 'an index that is not below ginSignalCount', cases: ['gin/traps/signal-past-count'] }],
  },
  {
    id: '1.6/optFlags',
    nccl: 'ncclGinOptFlags',
    here: '{ maySkipCreditCheck, aggregateRequests }',
    cases: ['gin/put/groups', 'gin/signals/strong-covers', 'gin/flush/async', 'gin/flush/queue-depth'],
    traps: [
      {
        trap: 'deferred requests that are never flushed',
        cases: [],
        open: { because: 'nothing reports it: the waits for them become a deadlock that names the signal' },
      },
    ],
  },
  {
    id: '1.6/segmentTags',
    nccl: 'ncclGin_SegmentDevice, …HostNuma, …Mixed',
    here: "{ segment: 'device' | 'hostNuma' | 'mixed' }",
    cases: ['gin/put/groups'],
    traps: [
      { trap: 'the wrong tag', cases: [], open: { because: 'all memory here is of one kind, so no tag is wrong' } },
    ],
  },
  {
    id: '1.6/descriptorSmem',
    nccl: 'ncclGin_DescriptorSmem',
    here: '{ descriptor }',
    cases: ['gin/put/groups'],
  },
  {
    id: '1.6/ginC',
    nccl: 'ncclGin_C, ncclGinPut, … (for users of the IR)',
    here: '',
    cases: [],
    open: { because: 'a second form of ncclGin for compilers that link its bitcode' },
  },
  {
    id: '1.6/connectionTypes',
    nccl: 'NCCL_GIN_CONNECTION_NONE, _FULL, _RAIL, _CUSTOM_STRIDE, _CUSTOM_ARRAY',
    here: "createDevComm({ ginConnectionType: 'none' | 'full' | 'rail' | 'customStride' | 'customArray' })",
    cases: ['gin/connections', 'gin/connections/custom-stride', 'gin/connections/custom-array'],
    traps: [
      { trap: 'with a rail connection, a peer outside of the rail', cases: ['gin/traps/peer-off-rail'] },
      {
        trap: 'with a custom stride, a peer at a distance that is not a multiple of it',
        cases: ['gin/traps/peer-off-stride'],
      },
      {
        trap: 'with a custom array, a peer that does not list the calling rank, or that it does not list',
        cases: ['gin/traps/peer-not-listed', 'gin/traps/flush-not-listed'],
      },
    ],
  },
  {
    id: '1.6/ginOnlyWindows',
    nccl: 'NCCL_WIN_GIN_ONLY',
    here: 'WindowFlags.GinOnly',
    cases: ['gin/windows/gin-only'],
    traps: [{ trap: 'a pointer through such a window', cases: ['gin/traps/gin-only-pointer'] }],
  },
  {
    id: '1.6/backends',
    nccl: 'IB proxy, IB GDAKI, GPI',
    here: '',
    cases: [],
    open: { because: "NCCL's own; which one there is does not show in kernels" },
  },
];
