import type { CallStatement } from '@nccl-ts/ir';
import { NcclError } from '@nccl-ts/core';
import type { CudaEmitContext } from './context.ts';
import { setting } from './declare.ts';
import { GinCall, type Trailing } from './gin-call.ts';
import { emitGinBarrier } from './gin-barrier.ts';
import { get, put, putValue, signal } from './gin-requests.ts';
import { needs } from './first-versions.ts';

/** The header of NCCL's class. */
export const ginHeader = 'nccl_device/impl/gin__funcs.h';
export { ginBarrierHeader } from './gin-barrier.ts';

/** Emits a network call as a C++ statement, without the assignment of its result. */
type Spelling = (call: GinCall) => string;

const none: Trailing = { text: 'ncclGin_None()', usual: true };

const BARRIER = 'gin.barrierSession';

/** These replace the portable bodies, whose primitives exist only in a simulated network. */
const spellings: Readonly<Record<string, Spelling>> = {
  'gin.put': put,
  'gin.putValue': putValue,
  'gin.get': get,
  'gin.signal': signal,
  'gin.flush': (call) => {
    const net = call.net();
    call.waits();
    const { left } = call;
    // Only the form with a limit has a descriptor.
    const rest = left === 0 ? [call.order()] : [call.order(), none];
    return call.timed(`${net}.flush`, [call.coop()], rest);
  },
  'gin.flushAsync': flushAsync,
  'gin.wait': wait,
  'gin.readSignal': (call) => `${call.net()}.readSignal(${call.trimmed([call.next()], call.reading(64))})`,
  'gin.waitSignal': (call) => {
    const net = call.net();
    call.waits();
    return call.timed(`${net}.waitSignal`, [call.coop(), call.next(), call.next()], call.reading(64));
  },
  'gin.resetSignal': (call) => `${call.net()}.resetSignal(${call.next()})`,
  'gin.readVASignal': (call) => {
    needs(call.c, 'vaSignals', call.name);
    return `${call.net()}.readSignal(${call.trimmed([call.next(), call.next()], call.reading(64))})`;
  },
  'gin.waitVASignal': (call) => {
    needs(call.c, 'vaSignals', call.name);
    const net = call.net();
    call.waits();
    return call.timed(`${net}.waitSignal`, [call.coop(), call.next(), call.next(), call.next()], call.reading(64));
  },
  'gin.resetVASignal': (call) => {
    needs(call.c, 'vaSignals', call.name);
    return `${call.net()}.resetSignal(${call.next()}, ${call.next()})`;
  },
  'gin.readCounter': (call) => `${call.net()}.readCounter(${call.trimmed([call.next()], call.reading(56))})`,
  'gin.waitCounter': (call) => {
    const net = call.net();
    call.waits();
    return call.timed(`${net}.waitCounter`, [call.coop(), call.next(), call.next()], call.reading(56));
  },
  'gin.resetCounter': (call) => `${call.net()}.resetCounter(${call.next()})`,
  'gin.signalShadowPtr': (call) =>
    `reinterpret_cast<unsigned long long*>(${call.net()}.getSignalShadowPtr(${call.next()}))`,
  'gin.increaseSignalShadow': (call) => `${call.net()}.increaseSignalShadow(${call.next()}, ${call.next()})`,
  'gin.waitSignalMeetShadow': (call) => {
    const net = call.net();
    call.waits();
    return `${net}.waitSignalMeetShadow(${call.trimmed([call.coop(), call.next()], call.reading(64))})`;
  },
  'gin.waitSignalFollowShadow': followShadow,
};

/** The names of network calls that are emitted as calls of NCCL. */
export const ginCalls: readonly string[] = Object.freeze([...Object.keys(spellings), BARRIER, `${BARRIER}.sync`]);

export function isGinCall(s: CallStatement): boolean {
  return ginCalls.includes(s.name);
}

/**
 * Emits a network call as a call of NCCL.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` for features that the installed version lacks, for
 * groups that the author defined, for which NCCL has no type, and for waits of abortable launches,
 * which NCCL's waits do not support.
 */
export function emitGinCall(s: CallStatement, c: CudaEmitContext): void {
  needs(c, 'gin', 'GIN');
  c.ncclIncludes.add(ginHeader);
  const call = new GinCall(s, c);
  if (s.name.startsWith(BARRIER)) {
    emitGinBarrier(call, c);
    return;
  }
  const spelling = spellings[s.name];
  if (spelling === undefined) throw new NcclError('NCCLTS_NOT_SUPPORTED', `CUDA has no '${s.name}' yet.`);
  const text = spelling(call);
  if (text !== '') c.line(`${s.local === undefined ? '' : setting(s.local, c)}${text};`);
}

/** In NCCL's own type: up to 2.30.4 its template accepts no other 64-bit type. */
function followShadow(call: GinCall): string {
  const { c } = call;
  const net = call.net();
  call.waits();
  const [id, least, into] = [call.next(), call.next(), call.next()];
  const followed = c.namer.name('followed');
  c.line(`uint64_t ${followed}[2];`);
  const given = [call.coop(), id, `uint64_t(${least})`, `&${followed}[0]`, `&${followed}[1]`];
  c.line(`${net}.waitSignalFollowShadow(${call.trimmed(given, call.reading(64))});`);
  return `memcpy(${into}, ${followed}, sizeof(${followed}))`;
}

/** The request has NCCL's type while it is created, and is two words while the kernel holds it. */
function flushAsync(call: GinCall): string {
  const { c } = call;
  needs(c, 'requests', call.name);
  const [net, team, peer, into] = [call.net(), call.team(), call.next(), call.next()];
  const request = c.namer.name('request');
  c.use('ginRequest');
  c.line(`ncclGinRequest_t ${request};`);
  c.line(`${net}.flushAsync(${team}, ${peer}, &${request});`);
  return `nts::to_words(${into}, ${request})`;
}

function wait(call: GinCall): string {
  const { c } = call;
  needs(c, 'requests', call.name);
  const [net, first, second] = [call.net(), call.next(), call.next()];
  call.waits();
  const request = c.namer.name('request');
  c.use('ginRequest');
  c.line(`ncclGinRequest_t ${request} = nts::to_request(${first}, ${second});`);
  const rest = [{ text: 'ncclCoopThread()', usual: true }, none, call.order()];
  return call.timed(`${net}.wait`, [request], rest);
}
