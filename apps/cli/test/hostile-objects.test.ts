import { cuda } from '@nccl-ts/backend-cuda';
import { explore } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import {
  allReduce,
  explain,
  kernelOf,
  putSignal,
  send,
  setSelection,
  signal,
  tunedRules,
  waitSignal,
} from '@nccl-ts/collectives';
import { Communicator, World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { f32, kernel } from '@nccl-ts/kernel';
import { expect, it } from 'vitest';

/** An object that throws a value other than an `NcclError` on every access. */
const hostile: never = (() => {
  const trap = (): never => {
    throw new TypeError('nobody may look');
  };
  const handler: ProxyHandler<object> = {
    get: trap,
    has: trap,
    ownKeys: trap,
    getPrototypeOf: trap,
    getOwnPropertyDescriptor: trap,
  };
  return new Proxy({}, handler) as never;
})();

/** An object whose option `name` throws when it is read. */
function throwing(name: string, rest: object = {}): never {
  const options = Object.defineProperty({ ...rest }, name, {
    enumerable: true,
    get: () => {
      throw new TypeError('nobody may read this');
    },
  });
  return options as never;
}

const empty = kernel({ name: 'empty', params: {} }, () => {});
const shape = { grid: 1, block: 1 };

/** Calls by one rank, each with an object that throws. */
const calls: Readonly<Record<string, (comm: Communicator) => unknown>> = {
  'launch with hostile options': (comm) => comm.launch(empty, hostile, {}),
  'launch with a label that throws': (comm) => comm.launch(empty, throwing('label', shape), {}),
  'launch with hostile attributes': (comm) => comm.launch(empty, { ...shape, attributes: hostile }, {}),
  'launch with a hostile signal': (comm) => comm.launch(empty, { ...shape, signal: hostile }, {}),
  'launch with hostile arguments': (comm) => comm.launch(empty, shape, hostile),
  'launch of a hostile kernel': (comm) => comm.launch(hostile, shape, {}),
  'allocWindow with hostile options': (comm) => comm.allocWindow(f32, 1, hostile),
  'allocWindow with a name that throws': (comm) => comm.allocWindow(f32, 1, throwing('name')),
  'allocWindow with a hostile type': (comm) => comm.allocWindow(hostile, 1),
  'registerWindow with hostile options': async (comm) => comm.registerWindow(await comm.memAlloc(4096), hostile),
  'registerWindow with bytes that throw': async (comm) =>
    comm.registerWindow(await comm.memAlloc(4096), throwing('bytes')),
  'registerWindow of hostile memory': (comm) => comm.registerWindow(hostile),
  'createDevComm with hostile requirements': (comm) => comm.createDevComm(hostile),
  'createDevComm with a number that throws': (comm) => comm.createDevComm(throwing('lsaBarrierCount')),
  'createDevComm with hostile teams': (comm) => comm.createDevComm({ teamRequirementsList: hostile }),
  'createStream with hostile options': (comm) => comm.createStream(hostile),
  'createStream with a hostile map': (comm) => comm.createStream({ memSyncDomainMap: hostile }),
  'synchronize with hostile options': (comm) => comm.synchronize(undefined, hostile),
  'synchronize with a hostile signal': (comm) => comm.synchronize(undefined, { signal: hostile }),
  'synchronize of a hostile stream': (comm) => comm.synchronize(hostile),
  'split by a hostile color': (comm) => comm.split(hostile),
  'shrink with hostile options': (comm) => comm.shrink([1], hostile),
  'shrink by hostile ranks': (comm) => comm.shrink(hostile),
  'write of hostile data': async (comm) => (await comm.allocWindow(f32, 1)).write(hostile),
  'write of data whose values throw': async (comm) =>
    (await comm.allocWindow(f32, 1)).write([throwing('valueOf'), hostile]),
  'read into a hostile array': async (comm) => (await comm.allocWindow(f32, 1)).read(hostile),
  'memFree of hostile memory': (comm) => comm.memFree(hostile),
  'allReduce with hostile options': async (comm) => {
    const win = await comm.allocWindow(f32, 1);
    return allReduce(comm, win, win, 1, RedOp.Sum, hostile);
  },
  'allReduce with an algorithm that throws': async (comm) => {
    const win = await comm.allocWindow(f32, 1);
    return allReduce(comm, win, win, 1, RedOp.Sum, throwing('algorithm'));
  },
  'allReduce of a hostile buffer': (comm) => allReduce(comm, hostile, hostile, 1, RedOp.Sum),
  'allReduce by a hostile operator': async (comm) => {
    const win = await comm.allocWindow(f32, 1);
    return allReduce(comm, win, win, 1, hostile);
  },
  'send with hostile options': async (comm) => send(comm, await comm.allocWindow(f32, 1), 1, 0, hostile),
  'send of a hostile buffer': (comm) => send(comm, hostile, 1, 0),
  'putSignal of a hostile buffer': (comm) => putSignal(comm, hostile, 1, 0, hostile),
  'signal with hostile options': (comm) => signal(comm, 0, hostile),
  'waitSignal with hostile options': (comm) => waitSignal(comm, [], hostile),
  'waitSignal for hostile signals': (comm) => waitSignal(comm, [hostile]),
  'explain of a hostile query': (comm) => explain(comm, hostile),
  'setSelection of hostile rules': (comm) => setSelection(comm, hostile),
  'setSelection of a hostile rule': (comm) => setSelection(comm, [hostile]),
};

/** Calls that need no world. */
const calls0: Readonly<Record<string, () => unknown>> = {
  'sim with hostile options': () => sim(hostile),
  'sim with a seed that throws': () => sim(throwing('seed', { ranks: 1 })),
  'sim with hostile network options': () => sim({ ranks: 1, gin: hostile }),
  'sim with a hostile cost model': () => sim({ ranks: 1, trace: hostile }),
  'sim with a hostile recording': () => sim({ ranks: 1, strategy: 'replay', replay: hostile }),
  'explore with hostile options': () => explore(hostile, async () => {}, { runs: 1 }),
  'explore with a hostile bound': () => explore({ ranks: 1 }, async () => {}, hostile),
  'webgpu with hostile options': () => webgpu(hostile),
  'webgpu with fuel that throws': () => webgpu(throwing('fuel', { ranks: 1 })),
  'webgpu with a hostile device': () => webgpu({ ranks: 1, device: hostile }),
  'cuda with hostile options': () => cuda(hostile),
  'cuda with a directory that throws': () => cuda(throwing('cacheDirectory')),
  'cuda with hostile devices': () => cuda({ devices: hostile }),
  'World.open with hostile options': () => World.open(hostile),
  'World.open on a hostile backend': () => World.open({ backend: hostile }),
  'World.open with a hostile signal': () => World.open({ backend: sim({ ranks: 1 }), signal: hostile }),
  'Communicator.init with hostile options': () => Communicator.init(hostile),
  'Communicator.getUniqueId of a hostile backend': () => Communicator.getUniqueId(hostile),
  'kernelOf a hostile query': () => kernelOf(hostile),
  'tunedRules of hostile options': () => tunedRules({ backend: 'sim', nRanks: 1, lsaSize: 1 } as never, [], hostile),
  'run with hostile options': async () => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    await world.run(() => 1, hostile);
  },
};

/** Awaits the result or the error of `call`. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

it.each(Object.keys(calls))('an object that misbehaves is refused with an error of this library: %s', async (name) => {
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const failure = await failureOf(() => calls[name]?.(world.comm(0)));
  expect(failure).toMatchObject({ name: 'NcclError', code: 'NCCL_INVALID_ARGUMENT' });
});

it.each(Object.keys(calls0))('an object that misbehaves is refused with an error of this library: %s', async (name) => {
  expect(await failureOf(() => calls0[name]?.())).toMatchObject({ name: 'NcclError', code: 'NCCL_INVALID_ARGUMENT' });
});
