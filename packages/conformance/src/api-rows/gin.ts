import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** Puts, gets and signals through the network. */
export const gin: readonly ApiRow[] = [
  plannedRow('1.6/gin', 'gin', 'ncclGin(devComm, contextIndex, sharing)', ['calls outside of the declared sharing']),
  plannedRow('1.6/put', 'gin', 'ncclGin::put with windows', ['with a rail connection, a peer outside of the rail']),
  plannedRow('1.6/putSymPtr', 'gin', 'ncclGin::put with ncclSymPtr'),
  plannedRow('1.6/putValue', 'gin', 'ncclGin::putValue'),
  plannedRow('1.6/get', 'gin', 'ncclGin::get'),
  plannedRow('1.6/signal', 'gin', 'ncclGin::signal'),
  plannedRow('1.6/none', 'gin', 'ncclGin_None'),
  plannedRow('1.6/strongSignals', 'gin', 'ncclGin_StrongSignalInc, ncclGin_StrongSignalAdd', [
    'Inc and Add of one signal without a reset between them',
    'without ginStrongSignalsRequired',
  ]),
  plannedRow('1.6/weakSignals', 'gin', 'ncclGin_WeakSignalInc, ncclGin_WeakSignalAdd', [
    'reading what an earlier put brought, after a weak signal',
  ]),
  plannedRow('1.6/vaSignals', 'gin', 'ncclGin_StrongVASignal…, ncclGin_WeakVASignal…', [
    'in a window without strict ordering',
    'loading or storing at the address',
  ]),
  plannedRow(
    '1.6/legacySignals',
    'gin',
    'ncclGin_SignalInc, ncclGin_SignalAdd, ncclGin_VASignalInc, ncclGin_VASignalAdd',
  ),
  plannedRow('1.6/counters', 'gin', 'ncclGin_WeakCounterInc, ncclGin_CounterInc'),
  plannedRow('1.6/readWaitResetSignal', 'gin', 'ncclGin::readSignal, ::waitSignal, ::resetSignal', [
    'a reset that races with a modifier',
  ]),
  plannedRow('1.6/readWaitResetVaSignal', 'gin', 'ncclGin::readSignal, ::waitSignal, ::resetSignal (window, offset)'),
  plannedRow('1.6/readWaitResetCounter', 'gin', 'ncclGin::readCounter, ::waitCounter, ::resetCounter'),
  plannedRow('1.6/flush', 'gin', 'ncclGin::flush', ['taking it for completion at the peer']),
  plannedRow('1.6/flushAsync', 'gin', 'ncclGin::flushAsync, ::wait'),
  plannedRow(
    '1.6/signalShadow',
    'gin',
    'getSignalShadowPtr, increaseSignalShadow, waitSignalMeetShadow, waitSignalFollowShadow',
  ),
  plannedRow('1.6/optFlags', 'gin', 'ncclGinOptFlags', ['requests that were deferred and are never flushed']),
  plannedRow('1.6/segmentTags', 'gin', 'ncclGin_SegmentDevice, …HostNuma, …Mixed', ['the wrong tag']),
  plannedRow('1.6/descriptorSmem', 'gin', 'ncclGin_DescriptorSmem'),
  plannedRow('1.6/ginC', 'gin', 'ncclGin_C, ncclGinPut, … (for users of the IR)'),
  plannedRow('1.6/connectionTypes', 'gin', 'NCCL_GIN_CONNECTION_NONE, _FULL, _RAIL'),
  plannedRow('1.6/backends', 'gin', 'IB proxy, IB GDAKI, GPI'),
];
