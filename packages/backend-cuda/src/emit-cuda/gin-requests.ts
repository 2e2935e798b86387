import { cppType, useType } from './cpp-type.ts';
import type { GinCall, Trailing } from './gin-call.ts';
import { has, needs } from './first-versions.ts';

const none = 'ncclGin_None()';

/**
 * team, peer, dst, dstOffset, src, srcOffset, bytes, remote action, options with a local action.
 */
export function put(call: GinCall): string {
  const [net, team] = [call.net(), call.team()];
  const given = [team, ...Array.from({ length: 6 }, () => call.next())];
  const remote = remoteAction(call);
  const descriptor = descriptorOf(call);
  const local = localAction(call);
  const options = [coopOf(call), descriptor, ...scopes(call), ...flags(call), ...segment(call)];
  return `${net}.put(${call.trimmed(given, [remote, local, ...options])})`;
}

/** team, peer, dst, dstOffset, value, remote action, options. */
export function putValue(call: GinCall): string {
  const [net, team, peer, dst, offset] = [call.net(), call.team(), call.next(), call.next(), call.next()];
  const type = call.nextType;
  if (type === undefined) throw call.refused('lacks its value');
  useType(type, call.c);
  const given = [team, peer, dst, offset, call.next()];
  // The type is explicit, because a constant of 8 or 16 bits is an int in C++.
  return `${net}.putValue<${cppType(type)}>(${call.trimmed(given, actionAndOptions(call))})`;
}

/** team, peer, remote action, options. */
export function signal(call: GinCall): string {
  const [net, team, peer] = [call.net(), call.team(), call.next()];
  const [remote, ...options] = actionAndOptions(call);
  return `${net}.signal(${call.trimmed([team, peer, remote?.text ?? none], options)})`;
}

/**
 * team, peer, remote, remoteOffset, local, localOffset, bytes, options. Earlier writes do not
 * affect a get.
 */
export function get(call: GinCall): string {
  needs(call.c, 'gets', call.name);
  const [net, team] = [call.net(), call.team()];
  const given = [team, ...Array.from({ length: 6 }, () => call.next())];
  return `${net}.get(${call.trimmed(given, [coopOf(call), descriptorOf(call), ...flags(call), ...segment(call)])})`;
}

function actionAndOptions(call: GinCall): readonly Trailing[] {
  const remote = remoteAction(call);
  return [remote, coopOf(call), descriptorOf(call), ...scopes(call), ...flags(call)];
}

/**
 * Returns the action at the peer. Before signals had a strength, all were strong, which includes
 * everything that a weak one guarantees.
 */
function remoteAction(call: GinCall): Trailing {
  const at = call.word('at');
  if (at === undefined) return { text: none, usual: true };
  const { c } = call;
  if (at === 'va') needs(c, 'vaSignals', 'signals at addresses');
  const strength = call.word('strength') ?? 'weak';
  const prefix = strength === 'legacy' || !has(c, 'strengths') ? '' : strength === 'strong' ? 'Strong' : 'Weak';
  const modify = call.word('modify') === 'add' ? 'Add' : 'Inc';
  const members = at === 'va' ? [call.next(), call.next()] : [call.next()];
  if (modify === 'Add') members.push(call.next());
  return { text: `ncclGin_${prefix}${at === 'va' ? 'VA' : ''}Signal${modify}{${members.join(', ')}}`, usual: false };
}

/** Returns the local action: the counter, after which there is no further argument. */
function localAction(call: GinCall): Trailing {
  if (call.left === 0) return { text: none, usual: true };
  return { text: `ncclGin_${has(call.c, 'strengths') ? 'Weak' : ''}CounterInc{${call.next()}}`, usual: false };
}

function coopOf(call: GinCall): Trailing {
  const text = call.coop();
  return { text, usual: text === 'ncclCoopThread()' };
}

/**
 * The descriptor is not passed on, because NCCL 2.30.7 declares it with 64 bytes and writes 128.
 */
function descriptorOf(call: GinCall): Trailing {
  if (call.nextType?.kind === 'pointer') call.next();
  return { text: none, usual: true };
}

function scopes(call: GinCall): readonly Trailing[] {
  return [call.scope('givenRelease', 'thread'), call.scope('requiredRelease', 'device')];
}

/** Returns hints. A version without them posts the request immediately, and checks for room. */
function flags(call: GinCall): readonly Trailing[] {
  if (!has(call.c, 'requestFlags')) return [];
  const set = ['MaySkipCreditCheck', 'AggregateRequests'].filter((name) =>
    call.flag(`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`),
  );
  if (set.length === 0) return [{ text: 'ncclGinOptFlagsDefault', usual: true }];
  return [{ text: set.map((name) => `ncclGinOptFlags${name}`).join(' | '), usual: false }];
}

const segmentTags: Readonly<Record<string, string>> = { hostNuma: 'HostNuma', mixed: 'Mixed' };

function segment(call: GinCall): readonly Trailing[] {
  const tag = segmentTags[call.word('segment') ?? 'device'];
  if (tag === undefined) return [];
  needs(call.c, 'segments', 'memory that does not belong to one device');
  return [{ text: `ncclGin_Segment${tag}()`, usual: false }];
}
