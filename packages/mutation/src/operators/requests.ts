import { binary, constant, field, mapBody, scalarType, type CallStatement, type Expression } from '@nccl-ts/ir';
import { wordOf, withWord } from './call-words.ts';
import type { CodeChange, Operator } from './operator.ts';

/** The arguments of `gin.post`, by index. Words are not arguments. */
const post = { comm: 0, context: 1, counter: 14, count: 16 } as const;

function isPost(call: CallStatement): boolean {
  return call.name === 'gin.post' && call.args.length === post.count;
}

function withArg(call: CallStatement, index: number, arg: Expression): CallStatement {
  return Object.freeze({ ...call, args: Object.freeze(call.args.map((old, i) => (i === index ? arg : old))) });
}

/** Makes strong signals weak, in the author's call and in everything inside it. */
export const weakenSignal: Operator = ({ statement: s, calls }) => {
  if (s.kind !== 'call' || !isStrong(s) || calls.some(isStrong)) return [];
  const change: CodeChange = {
    operator: 'signal-weakened',
    does: `sends a weak signal, not a ${wordOf(s, 'strength')} one`,
    becomes: [weakened(s)],
  };
  return [change];
};

function isStrong(call: CallStatement): boolean {
  const strength = wordOf(call, 'strength');
  const at = wordOf(call, 'at');
  return (strength === 'strong' || strength === 'legacy') && (at === 'id' || at === 'va');
}

function weakened(call: CallStatement): CallStatement {
  const statics = isStrong(call) ? withWord(call, 'strength', 'weak') : call.statics;
  if (call.body === undefined) return Object.freeze({ ...call, statics });
  const body = mapBody(call.body, { statement: (s) => (s.kind === 'call' && isStrong(s) ? weakened(s) : s) });
  return Object.freeze({ ...call, statics, body });
}

/**
 * Removes the signal at the peer, or the counter on the rank itself, from a request. A separate
 * signal is removed as a call.
 */
export const removeSignal: Operator = ({ statement: s }) => {
  if (s.kind !== 'call' || !isPost(s)) return [];
  const changes: CodeChange[] = [];
  const at = wordOf(s, 'at');
  if (wordOf(s, 'kind') !== 'signal' && at !== undefined && at !== 'none') {
    const becomes = [Object.freeze({ ...s, statics: withWord(s, 'at', 'none') })];
    changes.push({ operator: 'signal-removed', does: 'sends no signal', becomes });
  }
  const counter = s.args[post.counter];
  if (counter !== undefined && !(counter.kind === 'constant' && counter.value === -1)) {
    const becomes = [withArg(s, post.counter, constant('i32', -1))];
    changes.push({ operator: 'counter-removed', does: 'counts nothing', becomes });
  }
  return changes;
};

/** Makes requests use the next context. With a single context, that is the same one. */
export const changeContext: Operator = ({ statement: s }) => {
  if (s.kind !== 'call' || !isPost(s)) return [];
  const comm = s.args[post.comm];
  const context = s.args[post.context];
  if (comm === undefined || context === undefined) return [];
  const u32 = scalarType('u32');
  const next = binary('rem', binary('add', context, constant('u32', 1)), field(comm, 'ginContextCount', u32));
  return [{ operator: 'context-changed', does: 'uses the next context', becomes: [withArg(s, post.context, next)] }];
};
