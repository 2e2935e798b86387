import { debugLog, reading, takeOptions } from '@nccl-ts/core';
import type { Kernel } from '@nccl-ts/kernel';
import type { Dim3, Executable, LaunchConfig } from '@nccl-ts/transport';
import { shown } from '../describe.ts';
import { closed, invalidArgument, throwIfAborted } from '../errors.ts';
import { checkPrototypes } from './check-prototypes.ts';
import { handlesOf, launchArguments } from './launch-arguments.ts';
import { attributesOf, blockOf, gridOf, launchOptionNames, worksOf, type LaunchOptions } from './launch-config.ts';
import { signalOf } from '../stream/signal-of.ts';
import { LaunchQueue } from '../stream/launch-queue.ts';
import type { RankState } from '../rank/rank-state.ts';

/** A launch that was checked, and can be repeated any number of times. */
export interface PreparedLaunch {
  /**
   * Enqueues the launch, with the arguments as they were when it was prepared.
   *
   * @throws NcclError for the same reasons as `Communicator.launch`.
   */
  launch(): Promise<void>;
}

/** Checks, compiles and enqueues a launch: see `Communicator.launch`. */
export async function launch(owner: RankState, kernel: Kernel, options: LaunchOptions, args: unknown): Promise<void> {
  await enqueue(
    owner,
    kernel,
    reading('launch', () => checkedLaunch(owner, kernel, options, args)),
  );
}

/** Checks a launch: see `Communicator.prepare`. */
export function prepare(owner: RankState, kernel: Kernel, options: LaunchOptions, args: unknown): PreparedLaunch {
  const checked = reading('prepare', () => checkedLaunch(owner, kernel, options, args));
  const handles = reading('prepare', () => handlesOf(kernel, args));
  const { what, stream, config } = checked;
  return Object.freeze({
    launch: async () => {
      owner.checkActive(what);
      checkPrototypes(what);
      stream.check(what);
      const gone = handles.find(({ isOpen }) => !isOpen);
      if (gone !== undefined) throw closed(`${what}: a ${gone.kind} in its arguments was closed.`);
      throwIfAborted(config.signal, what);
      await enqueue(owner, kernel, checked);
    },
  });
}

type CheckedLaunch = ReturnType<typeof checkedLaunch>;

async function enqueue(owner: RankState, kernel: Kernel, checked: CheckedLaunch): Promise<void> {
  const { what, stream, config, flat, abortable } = checked;
  const { world, rank, worldRank } = owner;
  throwIfAborted(config.signal, what);
  owner.uses(stream);
  const { grid, block } = config;
  debugLog('launch', () => `rank ${rank}: ${kernel.name}, grid ${extent(grid)}, block ${extent(block)}`);
  const ready = world.executables.ready(kernel, abortable);
  const mayPass = config.work === undefined || world.work.isReady;
  if (ready !== undefined && mayPass && stream.launchAtOnce(ready, config, flat)) return;
  const leave = world.states.move(worldRank);
  try {
    const compiled = world.executables.get(kernel, abortable);
    await stream.launch(mayPass ? compiled : prepared(world, compiled), what, config, flat);
  } finally {
    leave();
  }
}

/** Returns the executable of a launch with `work` when the backend is prepared for it. */
async function prepared({ work }: RankState['world'], compiled: Promise<Executable>): Promise<Executable> {
  const [executable] = await Promise.all([compiled, work.ready()]);
  return executable;
}

/** The checked arguments of a launch. They have no effect yet. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- one record, taken apart above
function checkedLaunch(owner: RankState, kernel: Kernel, options: LaunchOptions, args: unknown) {
  if (typeof kernel?.compile !== 'function' || typeof kernel.params !== 'object' || kernel.params === null) {
    throw invalidArgument(`launch: kernel must come from kernel(...); given ${shown(kernel)}.`);
  }
  const what = `launch of ${kernel.name}`;
  owner.checkActive(what);
  checkPrototypes(what);
  const taken = takeOptions(what, options, launchOptionNames);
  const { world } = owner;
  const stream = streamOf(owner, taken.stream, what);
  const grid = gridOf(taken.grid, what);
  const block = blockOf(taken.block, world.backend.capabilities, what);
  const flat = launchArguments(kernel, args, owner);
  const { abortable, label, work } = taken;
  const signal = signalOf(taken.signal, what);
  if (abortable !== undefined && typeof abortable !== 'boolean') {
    throw invalidArgument(`${what}: abortable must be true or false; given ${shown(abortable)}.`);
  }
  if (label !== undefined && typeof label !== 'string') {
    throw invalidArgument(`${what}: label must be a string; given ${shown(label)}.`);
  }
  const attributes = attributesOf(taken.attributes, what);
  const config: LaunchConfig = {
    grid,
    block,
    stream: stream.handle,
    ...(signal === undefined ? {} : { signal }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(label === undefined ? {} : { label }),
    ...(work === undefined ? {} : { work: worksOf(work, owner, what) }),
  };
  return { what, stream, config, flat, abortable };
}

function extent({ x, y, z }: Dim3): string {
  return `${x} x ${y} x ${z}`;
}

/** @throws NcclError if `stream` is not an open stream of this communicator. */
export function streamOf(owner: RankState, stream: unknown, what: string): LaunchQueue {
  if (stream === undefined) return owner.defaultStream;
  if (!isQueue(stream, what)) {
    throw invalidArgument(`${what}: stream must come from createStream; given ${shown(stream)}.`);
  }
  stream.check(what);
  if (!owner.hasStream(stream)) {
    throw invalidArgument(
      `${what}: the stream belongs to rank ${stream.rank} or another world; this is rank ${owner.rank}.`,
    );
  }
  return stream;
}

function isQueue(stream: unknown, what: string): stream is LaunchQueue {
  return reading(what, () => stream instanceof LaunchQueue);
}
